"""Partial results: results of the complete learners while others are still computed.

A partial result is computed when a client requests it, in a process of its own: the workers may
all be busy with the learner that is missing, and an API process computes nothing. ``python -m
thetahat_service.jobs.partial EVALUATION`` is that process.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from thetahat.errors import EvaluationError
from thetahat_service.errors import ResultPending
from thetahat_service.jobs import progress, read
from thetahat_service.jobs.computed_texts import ComputedTexts, write_text
from thetahat_service.states import UnitState
from thetahat_service.storage import unit_parts, units
from thetahat_service.storage.evaluations import EvaluationRow
from thetahat_service.storage.unit_of_work import reading
from thetahat_service.storage.unit_parts import ChunkRow

LOCK_TIMEOUT_S: Final = 5.0
RETRY_AFTER_S: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class IncludedLearners:
    """The learners of a partial result."""

    complete: tuple[str, ...]
    """Learners that the result includes."""
    failed: tuple[str, ...]
    """Learners that failed; the result has their errors."""
    to_come: tuple[str, ...]
    """Learners that are still computed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IncludedChunks:
    """How much of a study a partial result includes."""

    done: int
    """Units of work that the result includes, in the unit of the evaluation's progress."""
    total: int
    """All units of work."""


@dataclass(frozen=True, slots=True)
class AvailableChunks:
    """The learners and chunks that can be evaluated now."""

    learners: IncludedLearners
    """Learners; empty if chunks belong to no learner."""
    chunks: tuple[int, ...]
    """Numbers of the chunks to evaluate: those of learners that are complete or failed or, if
    chunks belong to no learner, those that are done."""
    progress: IncludedChunks | None = None
    """Progress of an evaluation whose chunks belong to no learner."""

    @property
    def is_any(self) -> bool:
        """Whether there is something to evaluate."""
        if self.progress is not None:
            return self.progress.done > 0
        return bool(self.learners.complete)

    @property
    def ended_parts(self) -> tuple[str, ...]:
        """The parts that are complete or failed."""
        return self.learners.complete + self.learners.failed


def get_result(owner_id: UUID, evaluation_id: UUID) -> str:
    """Return the result, or the partial result, as JSON text.

    Raises ``ResultPending`` if no learner is complete, or those that are cannot be evaluated
    without the others; ``NoResult`` if there will be none.
    """
    row = read.get(owner_id, evaluation_id)
    if row.is_finished:
        return read.get_result(owner_id, evaluation_id)
    available = _list_available(row)
    try:
        return _RESULTS.get((evaluation_id, available), evaluation_id)
    except ResultPending:
        if read.get(owner_id, evaluation_id).is_finished:  # it has ended meanwhile
            return read.get_result(owner_id, evaluation_id)
        raise


def _list_available(row: EvaluationRow) -> AvailableChunks:
    """Return what can be evaluated now; ``ResultPending`` if there is nothing."""
    with reading() as connection:
        chunks = unit_parts.list_chunks(connection, row.id)
    available = find_available(chunks)
    if not available.is_any:
        unit = "learner" if available.progress is None else "chunk"
        raise _build_pending_error(f"No {unit} of evaluation {row.id} is complete yet.")
    return available


def find_available(chunks: Sequence[ChunkRow]) -> AvailableChunks:
    """Return the learners by status, and the chunks that can be evaluated now."""
    if all(chunk.part is None for chunk in chunks):
        finished_chunks = [chunk for chunk in chunks if chunk.state == UnitState.DONE]
        return AvailableChunks(
            IncludedLearners(complete=(), failed=(), to_come=()),
            tuple(chunk.number for chunk in finished_chunks if chunk.output_file),
            IncludedChunks(
                done=sum(chunk.size for chunk in finished_chunks),
                total=sum(chunk.size for chunk in chunks),
            ),
        )
    open_parts = {chunk.part for chunk in chunks if chunk.is_open}
    parts = progress.compute_part_progress(chunks)
    return AvailableChunks(
        IncludedLearners(
            complete=tuple(name for name, part in parts.items() if part.status == "done"),
            failed=tuple(
                name
                for name, part in parts.items()
                if part.status == "failed" and name not in open_parts
            ),
            to_come=tuple(name for name in parts if name in open_parts),
        ),
        tuple(c.number for c in chunks if c.output_file and c.part not in open_parts),
    )


def _build_pending_error(message: str) -> ResultPending:
    return ResultPending(message, retry_after=RETRY_AFTER_S)


_RESULTS: Final[ComputedTexts[tuple[UUID, AvailableChunks]]] = ComputedTexts(
    module="thetahat_service.jobs.partial",
    timeout_s=LOCK_TIMEOUT_S,
    build_error=_build_pending_error,
    busy="Another partial result is being computed. Ask again.",
    slow="The learners that are complete take longer than {seconds:g} seconds to evaluate. The "
    "result comes when all learners are done.",
    failed="The learners that are complete could not be evaluated while the others are computed. "
    "The result comes when all learners are done.",
    build_refusal=_build_pending_error,
)
"""The last partial results, by evaluation and by what they include."""


def compute_partial_result(evaluation_id: UUID) -> str:
    """Return the partial result as JSON text; only this function imports the mathematics."""
    from thetahat_service.jobs import loading, outputs  # noqa: PLC0415 - they import the mathematics
    from thetahat_service.json_encoding import encode_json  # noqa: PLC0415 - likewise
    from thetahat_service.storage.open_files import open_file_store  # noqa: PLC0415 - likewise

    files = open_file_store()
    with reading() as connection:
        loaded = loading.load(connection, evaluation_id, files)
        available = find_available(unit_parts.list_chunks(connection, evaluation_id))
        output_files = units.list_output_files(connection, evaluation_id, available.chunks)
    kind = loaded.kind
    if not (kind.has_partial_results and available.is_any):
        raise _build_pending_error(f"The kind {loaded.job.kind} has no partial results.")
    partial = kind.gather(loaded.job, outputs.open_chunk_outputs(files, output_files))
    body = loaded.encode_partial(partial)
    included = available.progress or available.learners
    learners = kind.list_learners_of_parts(loaded.job, available.ended_parts)
    if learners is not None:  # some of the learners that are run together may have failed
        failed = {*body["failures"], *available.learners.failed}
        to_come = kind.list_learners_of_parts(loaded.job, available.learners.to_come) or []
        included = IncludedLearners(
            complete=tuple(name for name in learners if name not in failed),
            failed=tuple(name for name in learners if name in failed),
            to_come=tuple(to_come),
        )
    return encode_json({"partial": included, **body})


if __name__ == "__main__":
    write_text(
        lambda arguments: compute_partial_result(UUID(arguments[0])), EvaluationError, ResultPending
    )
