"""The number of waiting evaluations and units, and the age of the oldest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import sqlalchemy as sa

from thetahat_service.states import UNFINISHED, EvaluationStatus, UnitState
from thetahat_service.storage import workers
from thetahat_service.storage.tables import EVALUATION, UNIT
from thetahat_service.storage.unit_of_work import reading


@dataclass(frozen=True, slots=True)
class QueueState:
    """The work that is not finished."""

    evaluations: Mapping[tuple[str, str], int]
    """Number of evaluations by kind and status."""
    units: Mapping[str, int]
    """Number of units of work by state."""
    oldest_s: float
    """Age in seconds of the oldest evaluation that no worker has begun; 0 if there is none."""
    workers: int
    """Worker processes with a recent heartbeat."""


def read_queue_state(lease_s: float) -> QueueState:
    """Return the counts and ages of the work that is not finished now."""
    unfinished = EVALUATION.c.status.in_(sorted(UNFINISHED))
    count = sa.func.count()
    by_kind = (
        sa.select(EVALUATION.c.kind, EVALUATION.c.status, count)
        .where(unfinished)
        .group_by(EVALUATION.c.kind, EVALUATION.c.status)
    )
    by_state = (
        sa.select(UNIT.c.state, count.label("n"))
        .where(UNIT.c.state.in_([UnitState.QUEUED, UnitState.RUNNING]))
        .group_by(UNIT.c.state)
    )
    oldest = sa.select(sa.func.min(EVALUATION.c.created_at)).where(
        EVALUATION.c.status == EvaluationStatus.QUEUED
    )
    with reading() as connection:
        since = connection.execute(oldest).scalar_one()
        return QueueState(
            evaluations={(kind, status): n for kind, status, n in connection.execute(by_kind)},
            units={row.state: row.n for row in connection.execute(by_state)},
            oldest_s=0.0
            if since is None
            else max(0.0, (datetime.now(UTC) - since).total_seconds()),
            workers=workers.count_alive(connection, lease_s),
        )
