"""Kinds run as a worker runs them, without a worker."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from thetahat.errors import EvaluationError
from thetahat_presentation.expansion import expand_result
from thetahat_service.errors import InvalidRequest
from thetahat_service.json_encoding import encode_json
from thetahat_service.kinds.base import (
    Chunk,
    ChunkOutput,
    DatasetFile,
    Finished,
    Job,
    JobKind,
    run_chunks,
    run_job,
)
from thetahat_service.kinds.provenance import Provenance
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.kinds.result_json import encode_result
from thetahat_service.outcomes.output_table import OutputTable

PARQUET = "application/vnd.apache.parquet"
UNKNOWN = Provenance(version="", seed=0, data_sha256="", spec_sha256="")
SPACE = UUID("00000000-0000-0000-0000-00000000dada")


def parquet_file(folder: Path, columns: Mapping[str, Sequence[Any] | np.ndarray]) -> DatasetFile:
    table = pa.table({name: pa.array(values) for name, values in columns.items()})
    name = f"{'-'.join(columns)}.parquet"
    pq.write_table(table, folder / name)
    kinds = {name: str(field.type) for name, field in zip(columns, table.schema, strict=True)}
    return DatasetFile(
        id=uuid5(SPACE, name),
        sha256="0" * 64,
        media_type=PARQUET,
        rows=table.num_rows,
        columns=[{"name": name, "type": kind} for name, kind in kinds.items()],
        details={},
        path=folder / name,
    )


@dataclass(frozen=True)
class Ran:
    """What came of a request; ``losses`` is a table in memory, or None."""

    result: dict[str, Any]
    losses: Any


def run_kind(
    body: dict[str, Any], files: Sequence[DatasetFile] = (), *, seed: int = 7, job: int = 0
) -> Ran:
    """Check and run a request, whole or chunk by chunk, as the worker would."""
    kind = JOB_KINDS[body["kind"]]
    request = kind.request.model_validate_json(json.dumps(body))
    datasets = {file.id: file for file in files}
    kind.check(request, datasets)
    stored = json.loads(encode_json(request.build_canonical()))
    again = kind.request.model_validate({"kind": body["kind"], **stored})
    work = Job(uuid5(SPACE, json.dumps([body, job, seed])), body["kind"], again, seed, datasets)
    finished = run_job(kind, work)
    result = as_json(finished)
    losses = finished.losses
    return Ran(result, losses.table() if isinstance(losses, OutputTable) else losses)


def as_json(finished: Finished) -> dict[str, Any]:
    """Return a result as a client reads it, but with cautions in the places of their keys.

    It has ``methods`` in the place of provenance.
    """
    body: Any = expand_result(encode_result(finished, UNKNOWN))
    provenance = body.pop("provenance")
    result: dict[str, Any] = json.loads(encode_json({**body, "methods": provenance["methods"]}))
    return result


def place_of(error: BaseException) -> tuple[str | int, ...]:
    """Where a refusal says the fault lies."""
    if isinstance(error, InvalidRequest):
        return error.errors[0].loc
    assert isinstance(error, EvaluationError)
    return error.loc


def output_of(chunk: Chunk, arrays: Mapping[str, np.ndarray]) -> ChunkOutput:
    """The output of a chunk that gave these arrays."""
    return ChunkOutput(chunk.payload, lambda: arrays)


def ran_but(
    kind: JobKind[Any],
    job: Job[Any],
    chunks: Sequence[Chunk],
    part: str,
    instead: Mapping[str, np.ndarray],
) -> list[ChunkOutput]:
    """The outputs of all chunks, with other arrays in the place of those of one part."""
    return [
        output_of(chunk, instead) if chunk.part == part else run_chunks(kind, job, [chunk])[0]
        for chunk in chunks
    ]
