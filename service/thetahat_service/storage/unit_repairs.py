"""Queueing chunks again if their stored arrays are lost or damaged."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

import sqlalchemy as sa

from thetahat_service.states import Stage, UnitState
from thetahat_service.storage import unit_statements
from thetahat_service.storage.engine import EpochNow
from thetahat_service.storage.tables import UNIT
from thetahat_service.storage.units import UnitClaim, UnitKey

_C = UNIT.c


@dataclass(frozen=True, slots=True)
class RequeuedChunks:
    """Chunks that are computed again.

    Parameters
    ----------
    keys : list of UnitKey
        The units.
    size : int
        What they had added to the progress.
    most_lost : int
        The largest number of attempts that one of them has lost.
    """

    keys: list[UnitKey]
    size: int
    most_lost: int


def remove_gathering(connection: sa.Connection, claim: UnitClaim) -> bool:
    """Remove a claimed gathering, which is queued again after the chunks; False if it is lost."""
    claimed = connection.execute(
        unit_statements.IS_HELD, unit_statements.build_claim_parameters(claim)
    ).one_or_none()
    if claimed is None:
        return False
    connection.execute(
        sa.delete(UNIT).where(
            _C.evaluation_id == claim.evaluation_id,
            _C.number == claim.number,
            _C.stage == Stage.GATHER,
        )
    )
    return True


def requeue_chunks(
    connection: sa.Connection, evaluation_id: UUID, output_files: Collection[str]
) -> RequeuedChunks:
    """Queue the chunks of these files again, and count a lost attempt for each."""
    statement = (
        sa.update(UNIT)
        .where(
            _C.evaluation_id == evaluation_id,
            _C.stage == Stage.CHUNK,
            _C.output_file.in_(output_files),
        )
        .values(
            state=UnitState.QUEUED.value,
            output_file=None,
            worker_id=None,
            lease_until=None,
            lost=_C.lost + 1,
            seconds=None,
            lost_seconds=sa.func.coalesce(_C.lost_seconds, 0.0) + sa.func.coalesce(_C.seconds, 0.0),
            not_before=EpochNow(),
            message_sent_at=EpochNow(),
            unavailable_since=None,
        )
        .returning(_C.number, _C.size, _C.lost)
    )
    rows = connection.execute(statement).all()
    return RequeuedChunks(
        [(evaluation_id, row.number) for row in rows],
        sum(row.size for row in rows),
        max((row.lost for row in rows), default=0),
    )
