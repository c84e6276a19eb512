"""Evaluations of one command: in this process, or by a running service if its address is given."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, cast

import typer

from thetahat_service.cli.failures import UserError
from thetahat_service.process.imports import import_without_garbage_collection

if TYPE_CHECKING:
    from pydantic import ValidationError

    from thetahat.values.json_values import JsonValue
    from thetahat_client.results import AnyResult
    from thetahat_service.json_types import JsonObject
    from thetahat_service.kinds.base import DatasetFile
    from thetahat_service.kinds.running import Evaluated

OptionalUrl = Annotated[
    str | None,
    typer.Option(
        "--url",
        envvar="THETAHAT_URL",
        metavar="URL",
        help="Let this service compute and keep the evaluation. Without it, it is computed here.",
    ),
]
Margin = Annotated[
    float | None,
    typer.Option(help="Largest difference that does not matter, in units of the loss."),
]


class Computed(NamedTuple):
    """The evaluation of a command."""

    result: AnyResult
    """The result."""
    evaluated: Evaluated | None = None
    """What was computed in this process."""
    url: str | None = None
    identifier: str | None = None
    """The service that has computed it, and the id of the evaluation there."""


@contextmanager
def open_data(file: Path) -> Iterator[DatasetFile]:
    """Read and check a file once, for the columns and the losses alike."""
    from thetahat_client.media import guess_media_type

    with import_without_garbage_collection():
        from thetahat_service.in_process.files import open_file

    with open_file(file, guess_media_type(file.name)) as data:
        yield data


def evaluate(request: JsonObject, data: Path | None, url: str | None) -> Computed:
    """Evaluate a request in this process, or by a service if its address is there."""
    if url is not None:
        return evaluate_by_service(request, data, url)
    _check_kind(request.get("kind"))
    if data is None:
        return evaluate_here(request)
    with open_data(data) as dataset:
        return evaluate_here(request, dataset)


def evaluate_by_service(request: JsonObject, data: Path | None, url: str) -> Computed:
    """Let a running service evaluate a request."""
    from thetahat_client.result_types import read_result
    from thetahat_service.cli.connection import connect
    from thetahat_service.cli.progress import wait_with_progress

    body = dict(request)
    with connect(url) as client:
        if data is not None:
            body["dataset"] = client.upload(str(data)).id
        submitted = client.submit(body)
        wait_with_progress(client, submitted.id)
        result = read_result(dict(client.result(submitted.id)))
        return Computed(result, url=url, identifier=submitted.id)


def send_logs(request: JsonObject, paths: Mapping[str, Path], url: str) -> Computed:
    """Let a running service evaluate a request about files, which its field ``logs`` names by id.

    ``paths`` has the path of each file by id; a service receives the files and gives other ids.
    """
    from thetahat_service.cli.connection import connect

    with connect(url) as client:
        ids = {name: client.upload(str(path)).id for name, path in paths.items()}
    logs = cast("dict[str, Any]", request["logs"])
    entries = [{**entry, "dataset": ids[entry["dataset"]]} for entry in logs["files"]]
    return evaluate_by_service({**request, "logs": {**logs, "files": entries}}, None, url)


def evaluate_here(
    request: JsonObject, data: DatasetFile | None = None, logs: Sequence[DatasetFile] = ()
) -> Computed:
    """Evaluate a request in this process."""
    # pydantic would look for plugins in the metadata of every package that is installed.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    with import_without_garbage_collection():
        from pydantic import ValidationError

        from thetahat_service.in_process.evaluation import evaluate_in_process
        from thetahat_service.kinds.registry import JOB_KINDS

        _ = JOB_KINDS[str(request["kind"])]  # imports it
    try:
        evaluated = evaluate_in_process(request, data, logs)
    except ValidationError as error:
        raise UserError(_explain(error, request)) from None
    return Computed(cast("AnyResult", evaluated.result), evaluated)


def _check_kind(kind: JsonValue) -> None:
    from thetahat_service.kinds.registry import JOB_KINDS

    if kind not in JOB_KINDS:
        raise UserError(f"There is no kind {kind!r}. The kinds are {', '.join(JOB_KINDS)}.")


def _explain(error: ValidationError, request: Mapping[str, object]) -> str:
    from thetahat_service.api.validation import convert_validation_error
    from thetahat_service.kinds.registry import JOB_KINDS

    schema = JOB_KINDS[str(request["kind"])].request
    return convert_validation_error(error, request, schema).message
