"""What a claim asks for: the kind's work, with no transaction open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson
import pyarrow as pa
import sqlalchemy as sa
from sqlalchemy.orm import Session

import thetahat
from service.jobs import kinds, outputs
from service.jobs.kinds.base import Chunks, DatasetFile, Finished, Job, JobKind
from service.jobs.parts import FAILED
from service.lifecycle import Stage
from service.storage import units
from service.storage.engine import to_json
from service.storage.files import FileStore, dataset_file_name
from service.storage.models import Dataset, Evaluation, EvaluationDataset
from service.storage.unit_of_work import reading
from service.storage.units import Claim


@dataclass(frozen=True, slots=True)
class Kept:
    """A chunk's arrays, kept under a name; ``is_failure`` where they say why there are none."""

    output_file: str
    is_failure: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """The evaluation's result as it is sent, and the name of its losses."""

    body: str
    losses_file: str | None


Outcome = Chunks | Kept | Result


@dataclass(frozen=True, slots=True)
class _Loaded:
    kind: JobKind
    job: Job
    provenance: dict[str, Any]


def compute(claim: Claim, files: FileStore) -> Outcome:
    """Do the work of a claim; its files are written, nothing is recorded."""
    with reading() as session:
        loaded = _load(session, claim, files)
        names = (
            units.output_files(session, claim.evaluation_id) if claim.stage is Stage.GATHER else []
        )
    if claim.stage is Stage.CHUNK:
        arrays = loaded.kind.run(loaded.job, dict(claim.payload))
        is_failure = claim.part is not None and FAILED in arrays
        return Kept(outputs.keep_arrays(files, claim, arrays), is_failure)
    if claim.stage is Stage.GATHER:
        gathered = loaded.kind.gather(loaded.job, outputs.ChunkArrays(files, names))
        return _result(gathered, loaded, claim, files)
    started = loaded.kind.start(loaded.job)
    if isinstance(started, Chunks):
        return started
    return _result(started, loaded, claim, files)


def _result(finished: Finished, loaded: _Loaded, claim: Claim, files: FileStore) -> Result:
    body = dict(finished.result)
    methods = body.pop("methods", [])
    body["provenance"] = {**loaded.provenance, "methods": methods}
    losses: pa.Table | None = finished.losses
    name = None if losses is None else outputs.keep_losses(files, claim, losses)
    return Result(to_json(body), name)


def _load(session: Session, claim: Claim, files: FileStore) -> _Loaded:
    row = session.execute(
        sa.select(
            Evaluation.kind,
            Evaluation.request,
            Evaluation.seed,
            Evaluation.data_sha256,
            Evaluation.request_sha256,
        ).where(Evaluation.id == claim.evaluation_id)
    ).one()
    kind = kinds.JOB_KINDS[row.kind]
    content = orjson.loads(row.request)
    request = kind.request.model_validate_json(
        row.request if "kind" in content else to_json({"kind": row.kind, **content})
    )
    return _Loaded(
        kind,
        Job(
            id=claim.evaluation_id,
            kind=row.kind,
            request=request,
            seed=row.seed,
            datasets=_datasets(session, claim, files),
        ),
        {
            "version": thetahat.__version__,
            "seed": row.seed,
            "data_sha256": row.data_sha256,
            "spec_sha256": row.request_sha256,
        },
    )


def _datasets(session: Session, claim: Claim, files: FileStore) -> dict[Any, DatasetFile]:
    statement = (
        sa.select(Dataset)
        .join(EvaluationDataset, EvaluationDataset.dataset_id == Dataset.id)
        .where(EvaluationDataset.evaluation_id == claim.evaluation_id)
    )
    return {
        dataset.id: DatasetFile(
            id=dataset.id,
            sha256=dataset.sha256,
            media_type=dataset.media_type,
            rows=dataset.rows,
            columns=dataset.columns,
            details=dataset.details,
            path=files.path(dataset_file_name(dataset.sha256)),
        )
        for dataset in session.scalars(statement)
    }
