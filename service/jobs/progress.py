"""How far each learner of an evaluation is, and how long the rest may take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import sqlalchemy as sa

from service.settings import settings
from service.states import UnitState
from service.storage import unit_parts, workers
from service.storage.evaluations import EvaluationRow
from service.storage.unit_of_work import reading
from service.storage.unit_parts import Chunk

WHOLE = "evaluation"
"""The unit of the progress of an evaluation that is not cut."""
ALIVE_LEASES = 2.0  # leases without a heartbeat after which a worker counts no more


@dataclass(frozen=True, slots=True)
class PartProgress:
    """How far one learner is.

    Parameters
    ----------
    done, total : int
        In the unit of the evaluation's progress.
    status : str
        ``queued``, ``running``, ``done`` or ``failed``.
    """

    done: int
    total: int
    status: str


@dataclass(frozen=True, slots=True)
class Outlook:
    """How far the learners are, by name, and how many seconds the rest may take, if it is known."""

    parts: Mapping[str, PartProgress] = field(default_factory=dict)
    seconds_left: float | None = None


def look(row: EvaluationRow) -> Outlook:
    """Return how far the learners of an unfinished evaluation are; nothing of any other."""
    if row.is_finished or row.progress_unit == WHOLE:
        return Outlook()
    with reading() as connection:
        chunks = unit_parts.chunks(connection, row.id)
        return Outlook(of_parts(chunks), seconds_left(chunks, _free_workers(connection, row)))


def _free_workers(connection: sa.Connection, row: EvaluationRow) -> int:
    """Return how many workers are this evaluation's, or idle; one at least."""
    alive = workers.count_alive(connection, ALIVE_LEASES * settings().lease_s)
    return max(1, alive - unit_parts.running_elsewhere(connection, row.id))


def of_parts(chunks: Sequence[Chunk]) -> dict[str, PartProgress]:
    """Return how far each part is; a part that failed is done with what it never began."""
    found: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        if chunk.part is not None:
            found.setdefault(chunk.part, []).append(chunk)
    return {part: _of_part(its) for part, its in found.items()}


def _of_part(chunks: Sequence[Chunk]) -> PartProgress:
    states = {chunk.state for chunk in chunks}
    if states & {UnitState.FAILED, UnitState.CANCELLED}:
        status = "failed"
    elif states <= {UnitState.DONE}:
        status = "done"
    else:
        status = "queued" if states == {UnitState.QUEUED} else "running"
    done = sum(chunk.size for chunk in chunks if not chunk.is_open)
    return PartProgress(done, sum(chunk.size for chunk in chunks), status)


def seconds_left(chunks: Sequence[Chunk], n_workers: int) -> float | None:
    r"""Return how long the open chunks may take, or None where nobody can know.

    .. math:: \max\left(\frac1W \sum_c s_c,\ \max_c s_c\right), \quad
              s_c = m_c \frac{\text{seconds}}{\text{size}}

    over the open chunks c of sizes m_c, each less the time that it has been running; seconds and
    size are those of its learner's chunks that are done, together.

    Parameters
    ----------
    n_workers : int
        W, those that are not at other evaluations.

    Degenerate cases: None while a learner that still has work has no chunk done, for its speed is
    not known. A chunk that has run longer than was to be expected adds nothing more, so the
    estimate errs on the short side then; putting the parts together is not in it either.
    """
    seconds: dict[str | None, float] = {}
    sizes: dict[str | None, int] = {}
    for chunk in chunks:
        if chunk.state == UnitState.DONE and chunk.seconds is not None:
            seconds[chunk.part] = seconds.get(chunk.part, 0.0) + chunk.seconds
            sizes[chunk.part] = sizes.get(chunk.part, 0) + chunk.size
    left = []
    for chunk in chunks:
        if chunk.is_open:
            if not sizes.get(chunk.part):
                return None
            expected = chunk.size * seconds[chunk.part] / sizes[chunk.part]
            left.append(max(0.0, expected - (chunk.running_s or 0.0)))
    return round(max(sum(left) / n_workers, max(left, default=0.0)), 1)
