"""The queue: whose unit comes next, and what finding it costs."""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from uuid import UUID, uuid4

import pytest
import sqlalchemy as sa

from tests.service.jobs.evaluations import look, make_executor, submit_nap
from tests.service.storage.query_plans import count_rows, explain
from tests.worker.sleeping_kind_fixture import sleeping
from thetahat_service.jobs import sweep
from thetahat_service.settings import get_settings
from thetahat_service.states import EvaluationStatus
from thetahat_service.storage import unit_queue, units
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.tables import EVALUATION, OWNER, UNIT
from thetahat_service.storage.unit_of_work import reading, unit_of_work
from thetahat_worker.executor import UnitExecutor

__all__ = ["sleeping"]

N_OWNERS, UNITS_EACH = 20, 5000


def _add_owner(name: str) -> UUID:
    owner_id = uuid4()
    with unit_of_work() as connection:
        connection.execute(
            sa.insert(OWNER).values(id=owner_id, name=name, created_at=sa.func.current_timestamp())
        )
    return owner_id


def _list_claims() -> list[UUID]:
    """Return the owners of the claimed units in the order of their claims."""
    with reading() as connection:
        statement = sa.select(UNIT.c.owner_id).where(UNIT.c.claimed_at.is_not(None))
        return list(connection.scalars(statement.order_by(UNIT.c.claimed_at)))


def _work_until_empty(worker: UnitExecutor, evaluation_id: UUID) -> None:
    deadline = time.monotonic() + 120
    while True:
        worker.compute_queued_units((evaluation_id, 0))
        with reading() as connection:
            if not unit_queue.list_claimable(connection, 1):
                return
        assert time.monotonic() < deadline


@pytest.mark.usefixtures("database")
def test_exact_two_owners_with_many_evaluations_take_turns() -> None:
    ann, bob = _add_owner("ann"), _add_owner("bob")
    first = [submit_nap(owner_id=ann, seed=i) for i in range(50)]
    for i in range(50):
        submit_nap(owner_id=bob, seed=i)
    _work_until_empty(make_executor(), first[0])
    claims = _list_claims()
    assert len(claims) == 100
    assert all({claims[i], claims[i + 1]} == {ann, bob} for i in range(0, 100, 2))


@pytest.mark.usefixtures("sqlite")
def test_exact_many_owners_get_one_unit_each_round() -> None:
    owners = [_add_owner(f"owner {i}") for i in range(7)]
    large = submit_nap(owner_id=owners[0], n_chunks=30)
    for owner in owners[1:]:
        for i in range(4):
            submit_nap(owner_id=owner, seed=i)
    worker = make_executor()
    for _ in range(28):
        assert worker._run_next()
    assert Counter(_list_claims()) == dict.fromkeys(owners, 4)
    _work_until_empty(worker, large)


@pytest.mark.usefixtures("sqlite")
def test_exact_a_small_evaluation_waits_for_one_chunk_of_a_large_one_at_most() -> None:
    ann = _add_owner("ann")
    large = submit_nap(owner_id=ann, n_chunks=50)
    worker = make_executor()
    for _ in range(4):
        assert worker._run_next()
    small = submit_nap()
    assert worker._run_next()  # the one that was running
    if look(small).status != "succeeded":
        assert worker._run_next()
    assert look(small).status == "succeeded"
    with reading() as connection:
        states = Counter(connection.scalars(sa.select(UNIT.c.state)))
    assert states["queued"] >= 46
    _work_until_empty(worker, large)


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("n_chunks", [0, 4])
def test_exact_an_evaluation_whose_client_waits_comes_before_the_owners_others(
    n_chunks: int,
) -> None:
    worker, waiting = make_executor(), [submit_nap(seed=i) for i in range(200)]
    awaited = submit_nap(is_awaited=True, n_chunks=n_chunks)
    random.seed(1)
    n_turns = 0
    while look(awaited).status != "succeeded":
        assert worker._run_next()
        n_turns += 1
    assert n_turns < 3 * (n_chunks + 2) + 5
    assert Counter(look(i).status for i in waiting)["queued"] > 180


@pytest.mark.usefixtures("sqlite")
def test_exact_evaluations_whose_clients_wait_leave_the_others_a_share() -> None:
    worker, others = make_executor(), [submit_nap(seed=i) for i in range(100)]
    for i in range(100):
        submit_nap(is_awaited=True, seed=i)
    random.seed(2)
    for _ in range(100):
        assert worker._run_next()
    done = Counter(look(i).status for i in others)["succeeded"]
    assert 10 <= done <= 45  # 25 are expected, with a standard deviation of 4.3


@pytest.mark.usefixtures("sqlite")
def test_exact_a_large_evaluation_takes_its_turn_although_its_client_waits() -> None:
    worker = make_executor()
    large = submit_nap(is_awaited=True, n_chunks=units.MOST_AWAITED_CHUNKS + 1)
    assert worker._run_next()
    others = [submit_nap(seed=i) for i in range(10)]
    for _ in others:
        assert worker._run_next()
    assert Counter(look(i).status for i in others)["succeeded"] == len(others)
    _work_until_empty(worker, large)
    assert look(large).status == "succeeded"


@pytest.mark.usefixtures("sqlite")
def test_exact_units_of_the_previous_release_get_their_owner() -> None:
    evaluation_id = submit_nap()
    with unit_of_work() as connection:
        connection.execute(sa.update(UNIT).values(owner_id=None))
    with reading() as connection:
        assert not unit_queue.list_claimable(connection, 1)
    sweep.sweep(uuid4(), get_settings())
    with reading() as connection:
        assert [u.key for u in unit_queue.list_claimable(connection, 1)] == [(evaluation_id, 0)]
        assert connection.scalars(sa.select(UNIT.c.owner_id)).all() == [LOCAL_OWNER_ID]


ADD_MANY_UNITS = """
INSERT INTO unit (evaluation_id, owner_id, number, stage, payload, size, state, place, attempt,
                  lost, not_before, nudged_at)
WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < :each)
SELECT id, owner_id, i, 'chunk', '{}', 1, :state, :now + (i * 7919) % 5000, 0, 0, 0.0, 0.0
FROM evaluation, numbers
"""


@pytest.fixture
def long_queue(database: str) -> str:
    """Queue 100 000 units of 20 owners."""
    for i in range(N_OWNERS):
        submit_nap(owner_id=_add_owner(f"owner {i}"))
    with unit_of_work() as connection:
        connection.execute(sa.update(UNIT).values(claimed_at=time.time() - 1.0))
        _add_many_units(connection, "queued", UNITS_EACH)
    return database


def _add_many_units(connection: sa.Connection, state: str, each: int) -> None:
    """Add units of a state to each evaluation."""
    values = {"each": each, "now": time.time(), "state": state}
    connection.execute(sa.text(ADD_MANY_UNITS), values)
    connection.execute(sa.text("ANALYZE"))


def test_exact_no_query_of_the_queue_reads_all_of_it(long_queue: str) -> None:
    """Each looks at a few rows per owner: with 100 000 units queued too."""
    with reading() as connection:
        owner_id = connection.scalars(sa.select(EVALUATION.c.owner_id).limit(1)).one()
        statements = {
            "owners": unit_queue.OWNERS_IN_TURN,
            "units": unit_queue.UNITS_OF_OWNER.params(
                its_owner=owner_id, count=16, least_place=unit_queue.EVERY_PLACE
            ),
            "unsent": unit_queue.select_unsent(time.time(), 64),
        }
        for name, statement in statements.items():
            explained = explain(connection, statement)
            if long_queue == "postgres":
                assert count_rows(explained[0]["Plan"], UNIT) <= 100, (name, explained)
                continue
            searched = [line for line in explained if re.search(r"\b(unit|other|other_1)\b", line)]
            assert searched, (name, explained)
            assert all(line.startswith("SEARCH") for line in searched), (name, explained)
            sorts = [line for line in explained if "TEMP B-TREE" in line]
            assert len(sorts) == (name == "owners"), (name, explained)  # the few owners


@pytest.mark.usefixtures("database")
def test_exact_no_query_of_the_sweep_reads_the_units_that_are_done(database: str) -> None:
    """An evaluation may have many thousand of them, and a sweep comes every second."""
    for i in range(N_OWNERS):
        submit_nap(owner_id=_add_owner(f"owner {i}"))
    with unit_of_work() as connection:
        _add_many_units(connection, "done", 1000)
        evaluation_id = connection.scalars(sa.select(EVALUATION.c.id).limit(1)).one()
    statements = {
        "stalled": sweep.select_stalled(EvaluationStatus.QUEUED, None, None),
        "expired": units.select_expired(time.time(), 100),
        "open": units.select_open(evaluation_id),
    }
    with reading() as connection:
        for name, statement in statements.items():
            explained = explain(connection, statement)
            if database == "postgres":
                assert count_rows(explained[0]["Plan"], UNIT) <= 100, (name, explained)
                continue
            searched = [line for line in explained if re.search(r"\bunit\b", line)]
            assert searched, (name, explained)
            assert all("state=?" in line for line in searched), (name, explained)


@pytest.mark.usefixtures("database")
def test_exact_a_search_in_parts_finds_every_stalled_evaluation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sweep, "SEARCHED", 3)
    submitted = [submit_nap(seed=i) for i in range(8)]
    stalled = {submitted[i] for i in (0, 4, 7)}
    with unit_of_work() as connection:
        connection.execute(sa.delete(UNIT).where(UNIT.c.evaluation_id.in_(stalled)))
    search = sweep.StalledSearch()
    with reading() as connection:
        parts = [search.search_next_part(connection) for _ in range(6)]
    assert [len(part) for part in parts[:3]] == [1, 1, 1]
    assert {evaluation_id for part in parts[:3] for evaluation_id in part} == stalled
    assert parts[3:] == parts[:3]


@pytest.mark.usefixtures("database")
def test_exact_lists_and_counts_read_few_evaluations(database: str) -> None:
    """Lists by status, the queue's oldest entry and a part of the search for stalled ones."""
    for i in range(N_OWNERS):
        submit_nap(owner_id=_add_owner(f"owner {i}"))
    owner_id = _add_owner("one more")
    for seed in range(200):
        submit_nap(owner_id=owner_id, seed=seed)
    statements = {
        "by status": sa.select(EVALUATION.c.id)
        .where(EVALUATION.c.owner_id == owner_id, EVALUATION.c.status == "failed")
        .order_by(EVALUATION.c.created_at.desc(), EVALUATION.c.id.desc())
        .limit(50),
        "oldest": sa.select(sa.func.min(EVALUATION.c.created_at)).where(
            EVALUATION.c.status == EvaluationStatus.RUNNING
        ),
        "end of part": sweep.select_end_of_part(EvaluationStatus.RUNNING, None),
    }
    with unit_of_work() as connection:
        connection.execute(sa.text("ANALYZE"))
    with reading() as connection:
        for name, statement in statements.items():
            explained = explain(connection, statement)
            if database == "postgres":
                assert count_rows(explained[0]["Plan"], EVALUATION) <= 10, (name, explained)
                continue
            searched = [line for line in explained if re.search(r"\bevaluation\b", line)]
            assert searched, (name, explained)
            assert all(line.startswith("SEARCH") for line in searched), (name, explained)
            assert not [line for line in explained if "TEMP B-TREE" in line], (name, explained)
