"""The SQL statements of ``unit_transitions``, and others that run for every unit.

Those for one unit are built once, because building a statement takes several times as long as
running it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import sqlalchemy as sa

from thetahat_service.states import UnitState
from thetahat_service.storage.engine import EpochNow
from thetahat_service.storage.tables import UNIT
from thetahat_service.storage.unit_transitions import (
    CLAIM_COLUMNS,
    TRANSITIONS,
    Condition,
    UnitEvent,
    Write,
)

_C = UNIT.c
_ONE_UNIT = (
    _C.evaluation_id == sa.bindparam("its_evaluation_id"),
    _C.number == sa.bindparam("its_number"),
)
_CONDITIONS: Final[Mapping[Condition | None, tuple[sa.ColumnElement[bool], ...]]] = {
    None: (),
    Condition.DUE: (_C.not_before <= EpochNow(),),
    Condition.HELD: tuple(_C[name] == sa.bindparam(f"its_{name}") for name in CLAIM_COLUMNS),
}
# A process that was killed has computed until its lease ended at the latest.
_ATTEMPT_END: Final = sa.case((_C.lease_until < EpochNow(), _C.lease_until), else_=EpochNow())
_BY_CLOCK: Final = _ATTEMPT_END - _C.claimed_at
_SECONDS: Final[sa.ColumnElement[float]] = sa.func.coalesce(
    sa.bindparam("attempt_s", type_=sa.Double()), sa.case((_BY_CLOCK < 0.0, 0.0), else_=_BY_CLOCK)
)
"""Seconds of the attempt, as measured by the process that computed; else by the clock."""
_VALUES: Final[Mapping[Write, Callable[[sa.Column[Any]], Any]]] = {
    Write.GIVEN: lambda column: sa.bindparam(f"new_{column.key}", type_=column.type),
    Write.NOW: lambda _: EpochNow(),
    Write.GIVEN_SECONDS_FROM_NOW: lambda column: (
        EpochNow() + sa.bindparam(f"new_{column.key}", type_=sa.Double())
    ),
    Write.NULL: lambda _: None,
    Write.ZERO: lambda _: 0.0,
    Write.ONE_MORE: lambda column: column + 1,
    Write.NOW_IF_NULL: lambda column: sa.func.coalesce(column, EpochNow()),
    Write.SECONDS_OF_ATTEMPT: lambda _: _SECONDS,
    Write.PLUS_SECONDS_OF_ATTEMPT: lambda column: sa.func.coalesce(column, 0.0) + _SECONDS,
    Write.PLUS_SECONDS: lambda column: (
        sa.func.coalesce(column, 0.0) + sa.func.coalesce(_C.seconds, 0.0)
    ),
}


def build_transition(event: UnitEvent) -> sa.Update:
    """Return the statement of an event, for all units that may make its transition."""
    transition = TRANSITIONS[event]
    values = {name: _VALUES[write](_C[name]) for name, write in transition.writes.items()}
    return (
        sa.update(UNIT)
        .where(_is_in(*transition.before), *_CONDITIONS[transition.needs])
        .values(state=transition.after.value, **values)
    )


def _is_in(*states: UnitState) -> sa.ColumnElement[bool]:
    """Return the condition that a unit is in one of some states."""
    if len(states) == 1:
        return _C.state == states[0].value
    return _C.state.in_(sorted(states))


INSERT: Final = sa.insert(UNIT)
CLAIM: Final = (
    build_transition(UnitEvent.CLAIM)
    .where(*_ONE_UNIT)
    .returning(_C.stage, _C.payload, _C.size, _C.attempt, _C.part, _C.cut_from)
)
OF_CLAIM: Final = {
    event: build_transition(event).where(*_ONE_UNIT).returning(_C.number)
    for event, transition in TRANSITIONS.items()
    if transition.needs is Condition.HELD
}
"""The transitions of a claimed unit."""
MEASURED: Final = {
    event
    for event, transition in TRANSITIONS.items()
    if {Write.SECONDS_OF_ATTEMPT, Write.PLUS_SECONDS_OF_ATTEMPT} & {*transition.writes.values()}
}
"""The transitions that write the seconds of the attempt, the parameter ``attempt_s``."""
HELD: Final = (*_ONE_UNIT, _is_in(UnitState.RUNNING), *_CONDITIONS[Condition.HELD])
"""The conditions that a unit is still claimed by an attempt."""
IS_HELD: Final = sa.select(_C.number).where(*HELD)
OUTAGE: Final = sa.select(EpochNow() - _C.unavailable_since).where(*HELD)
HISTORY: Final = sa.select(_C.lost, _BY_CLOCK).where(*HELD)


def build_claim_parameters(claim: Any) -> dict[str, Any]:
    """Return the parameters by which the statements find the unit of a claim."""
    columns = ("evaluation_id", "number", *CLAIM_COLUMNS)
    return {f"its_{name}": getattr(claim, name) for name in columns}
