from __future__ import annotations

import subprocess
import sys
from uuid import UUID, uuid4

import pytest
import sqlalchemy as sa

from tests.service.jobs.evaluations import look, make_executor, set_unit, submit_nap, unit, units
from tests.service.storage.databases import Setting
from thetahat_service.broker import queue
from thetahat_service.jobs import sweep
from thetahat_service.settings import get_settings
from thetahat_service.storage import units as unit_table
from thetahat_service.storage import workers
from thetahat_service.storage.tables import UNIT, WORKER
from thetahat_service.storage.unit_of_work import reading, unit_of_work
from thetahat_service.storage.workers import WorkerProcess

HOLDER = uuid4()


class Sent:
    """Messages that would have gone to the broker."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.keys: list[tuple[UUID, int]] = []
        self.waiting: int | None = 0
        monkeypatch.setattr(queue, "enqueue", self._take)
        monkeypatch.setattr(queue, "count_messages", lambda: self.waiting)

    def _take(self, keys: list[tuple[UUID, int]], *_: object) -> bool:
        self.keys += keys
        return True


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    return Sent(monkeypatch)


def _claim(key: tuple[UUID, int], worker_id: UUID | None = None) -> unit_table.UnitClaim:
    with unit_of_work() as connection:
        claim = unit_table.claim(connection, key, worker_id or uuid4(), 30.0)
    assert claim is not None
    return claim


def test_exact_a_lost_claim_is_queued_again_after_a_pause(database: str, sent: Sent) -> None:
    evaluation_id = submit_nap()
    _claim((evaluation_id, 0))
    assert sweep.sweep(HOLDER, get_settings()).reclaimed == 0  # the lease still holds
    set_unit(evaluation_id, lease_until=1.0)
    assert sweep.sweep(HOLDER, get_settings()).reclaimed == 1
    row = unit(evaluation_id)
    assert (row.state, row.attempt, row.lost, row.worker_id) == ("queued", 1, 0, None)
    assert not make_executor().run((evaluation_id, 0))  # not before its pause is over
    set_unit(evaluation_id, not_before=0.0)
    assert make_executor().run((evaluation_id, 0))
    assert look(evaluation_id).status == "succeeded"


def test_exact_the_last_lost_attempt_fails_with_the_reason(
    database: str, setting: Setting, sent: Sent
) -> None:
    setting(max_attempts=3)
    evaluation_id, node = submit_nap(n_chunks=2), uuid4()
    make_executor().run((evaluation_id, 0))
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    for attempt in (1, 2, 3):
        set_unit(evaluation_id, 1, not_before=0.0)
        _claim((evaluation_id, 1), _worker(node, ended.pid).id)
        sweep.reclaim_from_ended_workers(node, get_settings())
        assert look(evaluation_id).status == ("failed" if attempt == 3 else "running")
    row = look(evaluation_id)
    assert row.error is not None
    assert row.error["code"] == "worker_lost"
    assert "ended 3 times" in row.error["detail"]
    assert [u.state for u in units(evaluation_id)] == ["done", "failed", "cancelled"]


def test_exact_expired_leases_are_no_fault_of_the_unit_until_there_are_many(
    database: str, setting: Setting, sent: Sent
) -> None:
    """Whole machines that are lost fail nothing; a unit that brings them down fails in the end."""
    setting(max_attempts=2)
    evaluation_id = submit_nap()
    for lost in (0, 0, 0, 0, 0, 1, 2):
        set_unit(evaluation_id, not_before=0.0)
        _claim((evaluation_id, 0))
        set_unit(evaluation_id, lease_until=1.0)
        sweep.sweep(HOLDER, get_settings())
        assert (look(evaluation_id).status == "failed") == (lost == 2)
        assert unit(evaluation_id).lost == min(lost, 1)
    error = look(evaluation_id).error
    assert error is not None
    assert error["code"] == "worker_lost"


def test_exact_a_lost_claim_past_the_time_limit_fails_at_once(
    sqlite: None, setting: Setting, sent: Sent
) -> None:
    setting(time_limit_s=10)
    evaluation_id = submit_nap()
    claimed = _claim((evaluation_id, 0))
    with reading() as connection:
        _, seconds = unit_table.read_history(connection, claimed)
    assert 0 <= seconds < 5
    set_unit(
        evaluation_id,
        lease_until=UNIT.c.claimed_at - 0.1,
        claimed_at=UNIT.c.claimed_at - 11,
    )
    sweep.sweep(HOLDER, get_settings())
    error = look(evaluation_id).error
    assert error is not None
    assert error["code"] == "time_limit_exceeded"


def test_exact_the_time_while_the_whole_service_was_stopped_is_no_run(
    database: str, setting: Setting, sent: Sent
) -> None:
    setting(time_limit_s=3600, lease_s=30)
    evaluation_id = submit_nap()
    _claim((evaluation_id, 0))
    two_days = 2 * 24 * 3600
    set_unit(
        evaluation_id,
        lease_until=UNIT.c.lease_until - two_days,
        claimed_at=UNIT.c.claimed_at - two_days,
    )
    sweep.sweep(HOLDER, get_settings())
    assert look(evaluation_id).error is None
    assert unit(evaluation_id).state == "queued"
    set_unit(evaluation_id, not_before=0.0)
    assert make_executor().run((evaluation_id, 0))
    assert look(evaluation_id).status == "succeeded"


def test_exact_a_missed_gathering_is_queued(sqlite: None, sent: Sent) -> None:
    evaluation_id = submit_nap(n_chunks=2)
    worker = make_executor()
    for number in (0, 1, 2):
        worker.run((evaluation_id, number))
    with unit_of_work() as connection:  # as if the process had ended between the two
        connection.execute(
            sa.delete(UNIT).where(UNIT.c.evaluation_id == evaluation_id, UNIT.c.number == 3)
        )
    sweep.sweep(HOLDER, get_settings())
    assert worker.run((evaluation_id, 3))
    assert look(evaluation_id).status == "succeeded"


def test_degenerate_an_evaluation_that_cannot_go_on_fails(sqlite: None, sent: Sent) -> None:
    evaluation_id = submit_nap()
    with unit_of_work() as connection:
        connection.execute(sa.delete(UNIT).where(UNIT.c.evaluation_id == evaluation_id))
    sweep.sweep(HOLDER, get_settings())
    error = look(evaluation_id).error
    assert error is not None
    assert error["code"] == "internal_error"


def test_exact_queued_work_without_a_message_gets_one(database: str, sent: Sent) -> None:
    evaluation_id = submit_nap()
    sent.keys.clear()
    assert sweep.sweep(HOLDER, get_settings()).sent == 0
    set_unit(evaluation_id, message_sent_at=0.0)
    assert sweep.sweep(HOLDER, get_settings()).sent == 1
    assert sent.keys == [(evaluation_id, 0)]
    assert sweep.sweep(HOLDER, get_settings()).sent == 0


def test_exact_no_more_messages_wait_than_the_window(sqlite: None, sent: Sent) -> None:
    """Busy workers take few messages, and without this limit the broker fills."""
    evaluation_id = submit_nap(n_chunks=3 * sweep.WINDOW)
    make_executor().run((evaluation_id, 0))
    for row in units(evaluation_id):
        set_unit(evaluation_id, row.number, message_sent_at=0.0)
    sent.keys.clear()
    for waiting, n_sent in ((sweep.WINDOW, 0), (None, 0), (0, sweep.WINDOW), (sweep.WINDOW - 3, 3)):
        sent.waiting = waiting
        assert sweep.sweep(HOLDER, get_settings()).sent == n_sent
    assert len(set(sent.keys)) == len(sent.keys) == sweep.WINDOW + 3


def test_exact_one_process_at_a_time_has_the_duty(database: str, sent: Sent) -> None:
    other = uuid4()
    assert sweep.sweep(HOLDER, get_settings()).on_duty
    assert not sweep.sweep(other, get_settings()).on_duty
    assert sweep.sweep(HOLDER, get_settings()).on_duty
    sweep.release_duty(HOLDER)
    assert sweep.sweep(other, get_settings()).on_duty
    sweep.release_duty(HOLDER)  # not the holder any more: nothing happens
    assert not sweep.sweep(HOLDER, get_settings()).on_duty


def _worker(node: UUID, pid: int) -> WorkerProcess:
    worker = WorkerProcess(uuid4(), node, "here", pid, "0")
    with unit_of_work() as connection:
        workers.record_heartbeat(connection, worker)
    return worker


def test_exact_what_an_ended_process_held_is_taken_back_at_once(database: str) -> None:
    node = uuid4()
    alive = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    first, second, third = (submit_nap(seconds=i) for i in range(3))
    _claim((first, 0), _worker(node, ended.pid).id)
    _claim((second, 0), _worker(node, alive.pid).id)
    _claim((third, 0), _worker(uuid4(), ended.pid).id)
    assert sweep.reclaim_from_ended_workers(node, get_settings()) == 1
    assert [unit(i).state for i in (first, second, third)] == ["queued", "running", "running"]
    assert unit(first).lost == 1
    alive.communicate(b"\n")
    assert sweep.requeue_node(node) == 1  # stopped on purpose: no attempt is lost
    assert (unit(second).state, unit(second).lost) == ("queued", 0)
    assert sweep.requeue_all() == 1
    assert unit(third).state == "queued"


def test_exact_silent_workers_are_forgotten(sqlite: None, setting: Setting, sent: Sent) -> None:
    worker = _worker(uuid4(), 1)
    with reading() as connection:
        assert workers.count_alive(connection, 30.0) == 1
    sweep.sweep(HOLDER, get_settings())
    with reading() as connection:
        assert workers.list_ids(connection) == [worker.id]
    with unit_of_work() as connection:
        connection.execute(sa.update(WORKER).values(heartbeat_at=1.0))
    sweep.sweep(HOLDER, get_settings())
    with reading() as connection:
        assert workers.list_ids(connection) == []
