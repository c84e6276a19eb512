"""The progress of each learner of an evaluation, and the estimated time left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median_high

import sqlalchemy as sa

from thetahat_service.settings import get_settings
from thetahat_service.states import UnitState
from thetahat_service.storage import unit_parts, workers
from thetahat_service.storage.evaluations import EvaluationRow
from thetahat_service.storage.unit_of_work import reading
from thetahat_service.storage.unit_parts import ChunkRow

EVALUATION_UNIT = "evaluation"
"""The unit of the progress of an evaluation that is not cut into chunks."""
ALIVE_LEASES = 2.0  # leases without a heartbeat after which a worker is not counted


@dataclass(frozen=True, slots=True)
class PartProgress:
    """The progress of one learner."""

    done: int
    total: int
    """Both in the unit of the evaluation's progress."""
    status: str
    """``queued``, ``running``, ``done`` or ``failed``."""


@dataclass(frozen=True, slots=True)
class DetailedProgress:
    """The progress of each learner by name, and the estimated seconds left, if they are known."""

    parts: Mapping[str, PartProgress] = field(default_factory=dict)
    seconds_left: float | None = None


def read_progress(row: EvaluationRow) -> DetailedProgress:
    """Return the progress of an evaluation's learners; empty if it is finished or not cut."""
    if row.is_finished or row.progress_unit == EVALUATION_UNIT:
        return DetailedProgress()
    with reading() as connection:
        chunks = unit_parts.list_chunks(connection, row.id)
        return DetailedProgress(
            compute_part_progress(chunks),
            estimate_seconds_left(chunks, _count_workers(connection, row)),
        )


def _count_workers(connection: sa.Connection, row: EvaluationRow) -> int:
    """Return how many workers are idle or work on this evaluation; at least one."""
    alive = workers.count_alive(connection, ALIVE_LEASES * get_settings().lease_s)
    return max(1, alive - unit_parts.count_running_elsewhere(connection, row.id))


def compute_part_progress(chunks: Sequence[ChunkRow]) -> dict[str, PartProgress]:
    """Return the progress of each part; the chunks that a failed part never ran count as done."""
    by_part: dict[str, list[ChunkRow]] = {}
    for chunk in chunks:
        if chunk.part is not None:
            by_part.setdefault(chunk.part, []).append(chunk)
    return {part: _compute_progress(rows) for part, rows in by_part.items()}


def _compute_progress(chunks: Sequence[ChunkRow]) -> PartProgress:
    """Return the progress of one part from its chunks."""
    states = {chunk.state for chunk in chunks}
    if states & {UnitState.FAILED, UnitState.CANCELLED}:
        status = "failed"
    elif states <= {UnitState.DONE}:
        status = "done"
    else:
        status = "queued" if states == {UnitState.QUEUED} else "running"
    n_done = sum(chunk.size for chunk in chunks if not chunk.is_open)
    return PartProgress(n_done, sum(chunk.size for chunk in chunks), status)


def estimate_seconds_left(chunks: Sequence[ChunkRow], n_workers: int) -> float | None:
    r"""Return the estimated time of the open chunks in seconds; None if there is no basis for it.

    .. math:: \max\left(\frac1W \sum_c s_c,\ \max_c s_c\right), \quad
              s_c = m_c \, \text{median} \frac{\text{seconds}}{\text{size}}

    over the open chunks c of sizes m_c, each less the time that it has been running; the median is
    over the finished chunks of the same learner. A chunk that copies the repetitions of an earlier
    study takes nearly no time for each, and would make a mean far too small.

    Parameters
    ----------
    n_workers : int
        W, the workers that do not work on other evaluations.

    Degenerate cases: None while a learner with open chunks has no finished chunk, because its speed
    is not known. A chunk that has run longer than expected adds nothing more, and the time to
    gather the chunks is left out, so the estimate can be too short.
    """
    rates: dict[str | None, list[float]] = {}
    for chunk in chunks:
        if chunk.state == UnitState.DONE and chunk.seconds is not None and chunk.size:
            rates.setdefault(chunk.part, []).append(chunk.seconds / chunk.size)
    seconds_per_step = {part: median_high(values) for part, values in rates.items()}
    remaining = []
    for chunk in chunks:
        if chunk.is_open:
            if chunk.part not in seconds_per_step:
                return None
            expected = chunk.size * seconds_per_step[chunk.part]
            remaining.append(max(0.0, expected - (chunk.running_s or 0.0)))
    return round(max(sum(remaining) / n_workers, max(remaining, default=0.0)), 1)
