"""The table of transitions carried out on a dictionary, without a database."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from thetahat_service.storage.unit_transitions import (
    CLAIM_COLUMNS,
    TRANSITIONS,
    Condition,
    UnitEvent,
    Write,
)

Unit = dict[str, Any]
HELD_EVENTS = [event for event in UnitEvent if TRANSITIONS[event].needs is Condition.HELD]


def change(
    unit: Unit, event: UnitEvent, now: float, claim: Mapping[str, Any], **given: object
) -> Unit | None:
    """Return a unit after an event; None if it does not happen."""
    transition = TRANSITIONS[event]
    if unit["state"] not in transition.before:
        return None
    if transition.needs is Condition.DUE and unit["not_before"] > now:
        return None
    is_held = all(unit[name] == claim[name] for name in CLAIM_COLUMNS)
    if transition.needs is Condition.HELD and not is_held:
        return None
    written = {
        name: VALUES[write](unit, name, now, given.get(name))
        for name, write in transition.writes.items()
    }
    return unit | {"state": transition.after.value} | written


def list_given(event: UnitEvent) -> list[str]:
    """Return the columns whose values an event takes from its caller."""
    given = (Write.GIVEN, Write.GIVEN_SECONDS_FROM_NOW)
    return [name for name, write in TRANSITIONS[event].writes.items() if write in given]


def _measure_attempt(unit: Unit, now: float) -> float:
    """Return the seconds of an attempt that no process has measured."""
    return max(0.0, float(min(now, unit["lease_until"]) - unit["claimed_at"]))


VALUES: Mapping[Write, Callable[[Unit, str, float, Any], Any]] = {
    Write.GIVEN: lambda _unit, _name, _now, given: given,
    Write.NOW: lambda _unit, _name, now, _given: now,
    Write.GIVEN_SECONDS_FROM_NOW: lambda _unit, _name, now, given: now + given,
    Write.NULL: lambda *_: None,
    Write.ZERO: lambda *_: 0.0,
    Write.ONE_MORE: lambda unit, name, _now, _given: unit[name] + 1,
    Write.NOW_IF_NULL: lambda unit, name, now, _given: now if unit[name] is None else unit[name],
    Write.SECONDS_OF_ATTEMPT: lambda unit, _name, now, _given: _measure_attempt(unit, now),
    Write.PLUS_SECONDS_OF_ATTEMPT: lambda unit, name, now, _given: (
        (unit[name] or 0.0) + _measure_attempt(unit, now)
    ),
    Write.PLUS_SECONDS: lambda unit, name, *_: (unit[name] or 0.0) + (unit["seconds"] or 0.0),
}
