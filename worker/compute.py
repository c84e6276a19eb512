"""What a claim asks for: the kind's work, with no transaction open."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from service.jobs import outputs
from service.jobs.loading import Loaded, load
from service.jobs.parts import FAILED
from service.jobs.result_json import encode_result
from service.kinds.base import Chunks, Finished
from service.states import Stage
from service.storage import units
from service.storage.engine import to_json
from service.storage.files import FileStore
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


def compute(claim: Claim, files: FileStore) -> Outcome:
    """Do the work of a claim; its files are written, nothing is recorded."""
    with reading() as connection:
        loaded = load(connection, claim.evaluation_id, files)
        output_files = (
            units.output_files(connection, claim.evaluation_id)
            if claim.stage is Stage.GATHER
            else []
        )
    if claim.stage is Stage.CHUNK:
        arrays = loaded.kind.run(loaded.job, dict(claim.payload))
        is_failure = claim.part is not None and FAILED in arrays
        return Kept(outputs.keep_arrays(files, claim, arrays), is_failure)
    if claim.stage is Stage.GATHER:
        gathered = loaded.kind.gather(loaded.job, outputs.chunk_outputs(files, output_files))
        return _result(gathered, loaded, claim, files)
    started = loaded.kind.start(loaded.job)
    if isinstance(started, Chunks):
        return started
    return _result(started, loaded, claim, files)


def _result(finished: Finished, loaded: Loaded, claim: Claim, files: FileStore) -> Result:
    body = encode_result(finished, loaded.provenance)
    losses: pa.Table | None = finished.losses
    name = None if losses is None else outputs.keep_losses(files, claim, losses)
    return Result(to_json(body), name)
