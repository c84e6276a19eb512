"""The rules of a unit's states, without a database; the last test holds the SQL to them."""

from __future__ import annotations

import itertools
import random
import time
from collections import Counter
from uuid import UUID

import pytest
import sqlalchemy as sa

from tests.service.jobs.evaluations import submit_nap
from tests.service.storage.unit_model import HELD_EVENTS, Unit, change, list_given
from thetahat_service.states import Stage, UnitState
from thetahat_service.storage import unit_statements, units
from thetahat_service.storage.tables import UNIT
from thetahat_service.storage.unit_of_work import unit_of_work
from thetahat_service.storage.unit_transitions import TRANSITIONS, Condition, UnitEvent, Write
from thetahat_service.storage.units import UnitClaim

ANN, BOB = UUID(int=1), UUID(int=2)
QUEUED: Unit = {
    "state": "queued",
    "attempt": 0,
    "lost": 0,
    "worker_id": None,
    "claimed_at": None,
    "lease_until": None,
    "not_before": 0.0,
    "message_sent_at": 0.0,
    "output_file": None,
    "seconds": None,
    "lost_seconds": None,
    "unavailable_since": None,
}
GIVEN = {"worker_id": ANN, "lease_until": 30.0, "not_before": 0.0, "output_file": "new"}
ENDED = {UnitState.DONE, UnitState.FAILED, UnitState.CANCELLED}


def _change(unit: Unit | None, event: UnitEvent, now: float = 1.0, **given: object) -> Unit:
    assert unit is not None
    changed = change(unit, event, now, unit, **GIVEN | given)
    assert changed is not None
    return changed


@pytest.mark.parametrize("lost_by", [UnitEvent.PUT_BACK, UnitEvent.LOSE, UnitEvent.POSTPONE])
@pytest.mark.parametrize("winner", [ANN, BOB])
@pytest.mark.parametrize("event", HELD_EVENTS)
def test_exact_a_stale_attempt_changes_nothing(
    lost_by: UnitEvent, winner: UUID, event: UnitEvent
) -> None:
    stale = _change(QUEUED, UnitEvent.CLAIM)
    held = _change(_change(stale, lost_by), UnitEvent.CLAIM, worker_id=winner)

    assert change(held, event, 2.0, stale, **GIVEN) is None
    assert change(held, event, 2.0, held, **GIVEN) is not None
    assert held["attempt"] == stale["attempt"] + 1


@pytest.mark.parametrize("event", HELD_EVENTS)
@pytest.mark.parametrize("ended_by", [UnitEvent.FINISH, UnitEvent.FAIL, UnitEvent.CANCEL])
def test_exact_an_outcome_is_recorded_once(event: UnitEvent, ended_by: UnitEvent) -> None:
    claimed = _change(QUEUED, UnitEvent.CLAIM)

    assert change(_change(claimed, ended_by), event, 2.0, claimed, **GIVEN) is None


@pytest.mark.parametrize("event", UnitEvent)
def test_exact_only_a_claim_or_a_cancellation_changes_a_unit_of_another(event: UnitEvent) -> None:
    """A worker changes a running unit by its own claim; only a cancellation needs none."""
    transition = TRANSITIONS[event]
    takes_part = UnitState.RUNNING in transition.before and event is not UnitEvent.CANCEL
    assert (transition.needs is Condition.HELD) == takes_part
    begins = transition.after is UnitState.RUNNING and UnitState.RUNNING not in transition.before
    assert begins == (event is UnitEvent.CLAIM)
    assert (transition.writes.get("attempt") is Write.ONE_MORE) == begins


@pytest.mark.parametrize("seed", range(20))
def test_property_any_order_of_events_keeps_the_rules(seed: int) -> None:
    dice, unit, now, n_ended = random.Random(seed), dict(QUEUED), 0.0, 0
    claims = [unit]
    for _ in range(1000):
        now += dice.random() * 10
        event, claim = dice.choice(list(UnitEvent)), dice.choice(claims[-3:])
        given = {"worker_id": dice.choice([ANN, BOB]), "not_before": dice.choice([0.0, 5.0])}
        changed = change(unit, event, now, claim, **GIVEN | given)
        if changed is None:
            continue
        # A cancelled unit adds nothing to the progress.
        n_ended += TRANSITIONS[event].progress + (event is UnitEvent.CANCEL)
        assert changed["attempt"] - unit["attempt"] == (event is UnitEvent.CLAIM)
        assert changed["lost"] - unit["lost"] == (event in {UnitEvent.LOSE, UnitEvent.RECOMPUTE})
        if event is UnitEvent.CLAIM:
            assert unit["not_before"] <= now
            claims.append(changed)
        elif TRANSITIONS[event].needs is Condition.HELD:
            assert claim["attempt"] == unit["attempt"]
        unit = changed
        is_running = unit["state"] == UnitState.RUNNING
        assert (unit["lease_until"] is not None) == is_running
        assert n_ended == (unit["state"] in ENDED)
        assert (unit["seconds"] or 0.0) + (unit["lost_seconds"] or 0.0) <= now
    assert len(claims) > 10


@pytest.mark.parametrize("event", HELD_EVENTS)
def test_exact_the_sql_for_a_claim_asks_for_its_attempt(event: UnitEvent) -> None:
    where = unit_statements.OF_CLAIM[event].whereclause
    assert isinstance(where, sa.BooleanClauseList)
    conditions = {str(condition) for condition in where.clauses}
    asked = ("attempt", "worker_id", "evaluation_id", "number")

    assert {f"unit.{name} = :its_{name}" for name in asked} < conditions
    assert len(conditions) == len(asked) + 1  # and for the state


def test_exact_the_database_does_what_the_table_says(database: str) -> None:
    """Each state, claim, due time and history of a unit, changed by SQL and by the table."""
    evaluation_id = submit_nap()
    of_unit = (UNIT.c.evaluation_id == evaluation_id, UNIT.c.number == 0)
    n_changed: Counter[UnitEvent] = Counter()
    with unit_of_work() as connection:
        for event, state, attempt, worker_id, due, lease, earlier in itertools.product(
            UnitEvent, UnitState, (2, 3), (ANN, BOB), (-10.0, 50.0), (-20.0, 20.0), (None, 40.0)
        ):
            given = {name: (GIVEN | {"not_before": 25.0})[name] for name in list_given(event)}
            now = time.time()
            unit = QUEUED | {
                "state": state.value,
                "attempt": 3,
                "lost": 1,
                "worker_id": ANN,
                "claimed_at": now - 50.0,
                "lease_until": now + lease,
                "not_before": now + due,
                "message_sent_at": now - 5.0,
                "output_file": "old",
                "seconds": earlier,
                "lost_seconds": earlier,
                "unavailable_since": earlier and now - earlier,
            }
            connection.execute(sa.update(UNIT).where(*of_unit).values(**unit))
            claim = UnitClaim(evaluation_id, 0, Stage.START, {}, 1, attempt, worker_id)
            held_by = {"attempt": attempt, "worker_id": worker_id}
            expected = change(unit, event, now, held_by, **given)
            assert _execute(connection, event, claim, given) == (expected is not None), event
            columns = (UNIT.c[name] for name in unit)
            row = connection.execute(sa.select(*columns).where(*of_unit)).one()
            assert dict(zip(unit, row, strict=True)) == _round(expected or unit), event
            n_changed[event] += expected is not None
    assert set(n_changed) == set(UnitEvent)
    assert all(0 < n_changed[event] < 160 for event in UnitEvent)


def _round(unit: Unit) -> Unit:
    """Return a unit to compare with one whose times were read from another clock."""
    return {
        name: pytest.approx(value, rel=0.0, abs=2.0) if isinstance(value, float) else value
        for name, value in unit.items()
    }


def _execute(
    connection: sa.Connection, event: UnitEvent, claim: UnitClaim, given: dict[str, object]
) -> bool:
    """Let an event happen to a unit in the database; False if it does not."""
    if event is UnitEvent.CLAIM:
        key = claim.evaluation_id, claim.number
        return units.claim(connection, key, ANN, 30.0) is not None
    if event in HELD_EVENTS:
        return units.apply(connection, claim, event, **given)
    statement = unit_statements.build_transition(event).where(
        UNIT.c.evaluation_id == claim.evaluation_id, UNIT.c.number == claim.number
    )
    parameters = {f"new_{name}": value for name, value in given.items()}
    return connection.execute(statement, parameters).rowcount == 1
