"""An evaluation in this process, without database, broker and workers: for the command line."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import NAMESPACE_OID, UUID, uuid4, uuid5

import orjson

import thetahat
from thetahat.analyses.losses.cautions import is_numbering
from thetahat.values.json_values import JsonValue
from thetahat_service.data.base import FileLimits
from thetahat_service.data.encodings import detect_encoding_by_mark
from thetahat_service.data.formats import add_encoding, find_format
from thetahat_service.data.reading import read_columns as read_values
from thetahat_service.data.tables import build_table_path
from thetahat_service.jobs.digests import compute_digests
from thetahat_service.jobs.result_json import encode_result
from thetahat_service.json_types import JsonObject
from thetahat_service.kinds.base import DatasetFile, Job, run_job
from thetahat_service.kinds.provenance import Provenance
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.storage.engine import encode_json

UNLIMITED = FileLimits(cells=10**10, columns=10**6, cell_bytes=2**30, expansion=10**6)
"""The file is the caller's own, so the limits against hostile uploads do not apply."""


def evaluate_in_process(
    request: JsonObject, data: Path | None = None, media_type: str | None = None
) -> dict[str, JsonValue]:
    """Return the result of a request, with the numbers that the service would give.

    Parameters
    ----------
    request : mapping
        The body of ``POST /v1/evaluations``.
    data : Path or None
        A file that takes the place of the request's ``dataset``.
    media_type : str or None
        The media type of that file.

    Raises
    ------
    pydantic.ValidationError, EvaluationError, ServiceError
        The request or the file is refused.
    """
    with TemporaryDirectory(prefix="thetahat-") as folder:
        body = dict(request)
        datasets = {}
        if data is not None:
            dataset = read_file(data, media_type or "text/csv", Path(folder))
            datasets[dataset.id] = dataset
            body["dataset"] = str(dataset.id)
        return _run(body, datasets)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileColumn:
    """A column of a file.

    Parameters
    ----------
    name, type : str
        Its name and what it contains: ``integer``, ``number``, ``boolean``, ``string``, ...
    limits : tuple of int or None
        The smallest and the largest value of a complete column of integers; None for others.
    is_numbering : bool
        Whether its values are whole numbers without gap or repetition, in any order.
    """

    name: str
    type: str
    limits: tuple[int, int] | None = None
    is_numbering: bool = False


def read_columns(data: Path, media_type: str) -> dict[str, FileColumn]:
    """Return the columns of a file by name, in its order; ``InvalidFile`` for a bad file."""
    with TemporaryDirectory(prefix="thetahat-") as folder:
        dataset = read_file(data, media_type, Path(folder))
        types = {column["name"]: column["type"] for column in dataset.columns}
        integers = read_values(dataset, [name for name, kind in types.items() if kind == "integer"])
        columns = {name: FileColumn(name=name, type=kind) for name, kind in types.items()}
        for name, values in integers.items():
            if values.dtype.kind == "i":
                columns[name] = replace(
                    columns[name],
                    limits=(int(values.min()), int(values.max())),
                    is_numbering=is_numbering(values),
                )
        return columns


def _run(body: JsonObject, datasets: Mapping[UUID, DatasetFile]) -> dict[str, JsonValue]:
    """Return the result of a request as JSON values; the request is checked first."""
    kind = JOB_KINDS[str(body["kind"])]
    request = kind.request.model_validate(body)
    kind.check(request, datasets)
    digests = compute_digests(request, datasets)
    job = Job(uuid4(), kind.name, request, digests.seed, datasets)
    provenance = Provenance(
        version=thetahat.__version__,
        seed=digests.seed,
        data_sha256=digests.data_sha256,
        spec_sha256=digests.request_sha256,
    )
    result: dict[str, JsonValue] = orjson.loads(
        encode_json(encode_result(run_job(kind, job), provenance))
    )
    return result


def read_file(data: Path, media_type: str, folder: Path) -> DatasetFile:
    """Read and check a file; its table, where its format needs one, is written to the folder."""
    if media_type == "text/csv":
        media_type = add_encoding(media_type, detect_encoding_by_mark(data))
    path = folder / data.name
    path.symlink_to(data.resolve())
    form = find_format(media_type)
    with build_table_path(path, form.table_suffix or ".none").open("w+b") as table:
        inspected = form.inspect(path, UNLIMITED, table)
    with data.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return DatasetFile(
        id=uuid5(NAMESPACE_OID, digest),  # the same file gives the same request, and so its seed
        sha256=digest,
        media_type=media_type,
        rows=inspected.rows,
        columns=inspected.columns,
        details=inspected.details,
        path=path,
    )
