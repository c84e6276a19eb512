"""Queueing chunks again if their stored arrays are lost or damaged."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

import sqlalchemy as sa

from thetahat_service.states import Stage
from thetahat_service.storage import unit_statements
from thetahat_service.storage.tables import UNIT
from thetahat_service.storage.unit_transitions import UnitEvent
from thetahat_service.storage.units import UnitClaim, UnitKey

_C = UNIT.c


@dataclass(frozen=True, slots=True)
class RequeuedChunks:
    """Chunks that are computed again."""

    keys: list[UnitKey]
    """The units."""
    size: int
    """What they had added to the progress."""
    most_lost: int
    """The largest number of attempts that one of them has lost."""


def remove_gathering(connection: sa.Connection, claim: UnitClaim) -> bool:
    """Remove a claimed gathering, which is queued again after the chunks; False if it is lost."""
    removal = (
        sa.delete(UNIT).where(*unit_statements.HELD, _C.stage == Stage.GATHER).returning(_C.number)
    )
    parameters = unit_statements.build_claim_parameters(claim)
    return connection.execute(removal, parameters).one_or_none() is not None


def requeue_chunks(
    connection: sa.Connection, evaluation_id: UUID, output_files: Collection[str]
) -> RequeuedChunks:
    """Queue the chunks of these files again, and count a lost attempt for each."""
    statement = (
        unit_statements.build_transition(UnitEvent.RECOMPUTE)
        .where(
            _C.evaluation_id == evaluation_id,
            _C.stage == Stage.CHUNK,
            _C.output_file.in_(output_files),
        )
        .returning(_C.number, _C.size, _C.lost)
    )
    rows = connection.execute(statement).all()
    return RequeuedChunks(
        [(evaluation_id, row.number) for row in rows],
        sum(row.size for row in rows),
        max((row.lost for row in rows), default=0),
    )
