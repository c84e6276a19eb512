"""The SQL statements that run for every unit.

They are built once, because building a statement takes several times as long as running it.
"""

from __future__ import annotations

from typing import Any, Final

import sqlalchemy as sa

from thetahat_service.states import UnitState
from thetahat_service.storage.engine import EpochNow
from thetahat_service.storage.tables import UNIT

_TABLE = UNIT
_C = _TABLE.c
_LEASE: sa.BindParameter[float] = sa.bindparam("lease", type_=sa.Double())
_HELD = (
    _C.evaluation_id == sa.bindparam("its_evaluation"),
    _C.number == sa.bindparam("its_number"),
    _C.state == UnitState.RUNNING.value,
    _C.attempt == sa.bindparam("its_attempt"),
    _C.worker_id == sa.bindparam("its_worker"),
)

INSERT: Final = sa.insert(_TABLE)
CLAIM: Final = (
    sa.update(_TABLE)
    .where(
        _C.evaluation_id == sa.bindparam("its_evaluation"),
        _C.number == sa.bindparam("its_number"),
        _C.state == UnitState.QUEUED.value,
        _C.not_before <= EpochNow(),
    )
    .values(
        state=UnitState.RUNNING.value,
        attempt=_C.attempt + 1,
        worker_id=sa.bindparam("new_worker", type_=_C.worker_id.type),
        claimed_at=EpochNow(),
        lease_until=EpochNow() + _LEASE,
    )
    .returning(_C.stage, _C.payload, _C.size, _C.attempt, _C.part, _C.cut_from)
)
RENEW: Final = (
    sa.update(_TABLE).where(*_HELD).values(lease_until=EpochNow() + _LEASE).returning(_C.number)
)
IS_HELD: Final = sa.select(_C.number).where(*_HELD)
SETTLE: Final = (
    sa.update(_TABLE)
    .where(*_HELD)
    .values(
        state=sa.bindparam("new_state", type_=_C.state.type),
        lease_until=None,
        output_file=sa.bindparam("new_file", type_=_C.output_file.type),
        seconds=EpochNow() - _C.claimed_at,
    )
    .returning(_C.number)
)
_QUEUED_AGAIN: Final = {
    "state": UnitState.QUEUED.value,
    "worker_id": None,
    "lease_until": None,
    "not_before": EpochNow() + sa.bindparam("delay", type_=sa.Double()),
    "message_sent_at": 0.0,
}
# A process that was killed has computed until its lease ended at the latest.
_ATTEMPT_END: Final = sa.case((_C.lease_until < EpochNow(), _C.lease_until), else_=EpochNow())
PUT_BACK: Final = (
    sa.update(_TABLE)
    .where(*_HELD)
    .values(
        **_QUEUED_AGAIN,
        lost_seconds=sa.func.coalesce(_C.lost_seconds, 0.0) + _ATTEMPT_END - _C.claimed_at,
        lost=_C.lost + sa.bindparam("more_lost", type_=sa.Integer()),
        unavailable_since=None,
    )
    .returning(_C.number)
)
POSTPONE: Final = (
    sa.update(_TABLE)
    .where(*_HELD)
    .values(**_QUEUED_AGAIN, unavailable_since=sa.func.coalesce(_C.unavailable_since, EpochNow()))
    .returning(_C.number)
)
OUTAGE: Final = sa.select(EpochNow() - _C.unavailable_since).where(*_HELD)
HISTORY: Final = sa.select(_C.lost, EpochNow() - _C.claimed_at).where(*_HELD)


def build_claim_parameters(claim: Any) -> dict[str, Any]:
    """Return the parameters by which the statements find the unit of a claim."""
    return {
        "its_evaluation": claim.evaluation_id,
        "its_number": claim.number,
        "its_attempt": claim.attempt,
        "its_worker": claim.worker_id,
    }
