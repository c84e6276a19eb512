"""The database's clock is set to another time: what waits, and what does not end early."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from uuid import UUID, uuid4

import pytest
import sqlalchemy as sa

from tests.service.jobs.evaluations import look, make_executor, submit_nap, unit
from tests.service.storage.databases import Setting
from tests.service.storage.shifted_clock import DAY, setting_the_clock
from thetahat_service.broker import queue
from thetahat_service.jobs import record, sweep, webhooks
from thetahat_service.jobs.cancel import cancel
from thetahat_service.jobs.clock_watch import ClockWatch
from thetahat_service.outcomes import failures
from thetahat_service.settings import get_settings
from thetahat_service.storage import unit_queue, units, workers
from thetahat_service.storage import webhooks as stored
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.tables import OWNER
from thetahat_service.storage.unit_of_work import reading, unit_of_work
from thetahat_service.storage.unit_transitions import UnitEvent
from thetahat_service.storage.workers import WorkerProcess

HOUR = 3600.0
JUMPS = [-HOUR, HOUR, -2 * DAY, 2 * DAY, -20.0, 20.0]
LEASE_S = 30.0
SetClock = Callable[[float], None]


@pytest.fixture
def set_clock(database: str) -> Iterator[SetClock]:
    with setting_the_clock() as change:
        yield change


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "enqueue", lambda *_: False)
    monkeypatch.setattr(queue, "count_messages", lambda: 0)


class Sweeper:
    """A sweeper whose monotonic clock the test moves; the database's clock moves along."""

    def __init__(self, set_clock: SetClock) -> None:
        self._set_clock = set_clock
        self._passed = self._jumped = 0.0
        self.start()

    def start(self) -> None:
        """Begin as another process does."""
        self.holder = uuid4()
        begun, passed = time.monotonic(), self._passed
        self.clock = ClockWatch(
            get_settings(), lambda: time.monotonic() - begun + self._passed - passed
        )

    def kill(self) -> None:
        """End without a word, so that the duty stays taken."""
        self.start()

    def let_pass(self, seconds: float) -> None:
        self._passed += seconds
        self._set_clock(self._passed + self._jumped)

    def jump(self, seconds: float) -> None:
        self._jumped += seconds
        self._set_clock(self._passed + self._jumped)

    def sweep(self) -> sweep.SweepCounts:
        return sweep.sweep(self.holder, get_settings(), self.clock)


def claim(evaluation_id: UUID, worker_id: UUID | None = None) -> units.UnitClaim:
    claimed = record.claim_unit((evaluation_id, 0), worker_id or uuid4(), LEASE_S)
    assert claimed is not None
    return claimed


def renew(claimed: units.UnitClaim) -> bool:
    with unit_of_work() as connection:
        return units.apply(connection, claimed, UnitEvent.RENEW, lease_until=LEASE_S)


def count_claimable() -> int:
    with reading() as connection:
        return sum(len(each) for each in unit_queue.iterate_claimable(connection, 100))


@pytest.mark.parametrize("jump", JUMPS)
def test_exact_a_claim_lasts_for_its_lease_and_no_longer(set_clock: SetClock, jump: float) -> None:
    sweeper = Sweeper(set_clock)
    alive, dead = claim(submit_nap()), claim(submit_nap())
    assert sweeper.sweep().on_duty
    sweeper.jump(jump)
    counts = sweeper.sweep()
    assert counts.jump_s == pytest.approx(jump, abs=1.0)
    assert counts.reclaimed == 0
    for _ in range(3):
        sweeper.let_pass(LEASE_S / 3 - 1.0)
        assert renew(alive)
        assert sweeper.sweep().reclaimed == 0
    sweeper.let_pass(LEASE_S / 3)
    assert sweeper.sweep().reclaimed == 1
    assert unit(dead.evaluation_id).state == "queued"
    assert unit(alive.evaluation_id).state == "running"


@pytest.mark.parametrize("jump", [-HOUR, -2 * DAY])
@pytest.mark.parametrize("is_killed", [False, True])
def test_exact_a_clock_set_back_while_nothing_runs(
    set_clock: SetClock, jump: float, *, is_killed: bool
) -> None:
    sweeper = Sweeper(set_clock)
    dead = claim(submit_nap())
    queued = submit_nap()
    assert sweeper.sweep().on_duty
    if not is_killed:
        sweep.release_duty(sweeper.holder)
    sweeper.kill()
    sweeper.jump(jump)
    assert sweeper.sweep().on_duty
    sweeper.let_pass(LEASE_S + 1.0)
    assert sweeper.sweep().reclaimed == 1
    sweeper.let_pass(2.0)
    worker = make_executor()
    assert worker.run((dead.evaluation_id, 0))
    assert worker.run((queued, 0))
    assert {look(i).status for i in (dead.evaluation_id, queued)} == {"succeeded"}


@pytest.mark.parametrize("jump", JUMPS)
def test_exact_queued_and_paused_work_is_not_delayed(set_clock: SetClock, jump: float) -> None:
    sweeper = Sweeper(set_clock)
    queued, paused = submit_nap(), claim(submit_nap())
    assert record.put_back(paused, delay_s=8.0, lost=True)
    assert sweeper.sweep().on_duty
    sweeper.jump(jump)
    sweeper.sweep()
    late = submit_nap()
    worker = make_executor()
    assert worker.run((queued, 0))
    assert worker.run((late, 0))
    sweeper.let_pass(9.0)
    assert worker.run((paused.evaluation_id, 0))


@pytest.mark.parametrize("jump", JUMPS)
def test_exact_owners_go_on_in_turn(set_clock: SetClock, jump: float) -> None:
    sweeper = Sweeper(set_clock)
    ann = uuid4()
    with unit_of_work() as connection:
        connection.execute(
            sa.insert(OWNER).values(id=ann, name="ann", created_at=sa.func.current_timestamp())
        )
    for _ in range(6):
        submit_nap()
        submit_nap(owner_id=ann)
    worker = make_executor()
    assert worker._run_next()
    assert worker._run_next()
    assert sweeper.sweep().on_duty
    sweeper.jump(jump)
    sweeper.sweep()
    owners = []
    for _ in range(8):
        with reading() as connection:
            owners.append(connection.scalars(unit_queue.OWNERS_IN_TURN).first())
        assert worker._run_next()
    assert all({owners[i], owners[i + 1]} == {ann, LOCAL_OWNER_ID} for i in range(0, 8, 2))


@pytest.mark.parametrize("jump", [HOUR, 2 * DAY])
def test_exact_a_jump_is_no_outage_and_no_computing_time(
    set_clock: SetClock, setting: Setting, jump: float
) -> None:
    setting(max_outage_s=60, time_limit_s=100, job_time_limit_s=100)
    sweeper = Sweeper(set_clock)
    problem = failures.describe_outage(60, "no store")
    postponed, dead, done = submit_nap(), claim(submit_nap()), claim(submit_nap())
    assert record.postpone_or_fail(claim(postponed), problem, 60)
    assert sweeper.sweep().on_duty
    sweeper.jump(jump)
    with unit_of_work() as connection:  # before any sweep
        assert units.apply(connection, done, UnitEvent.FINISH, output_file=None)
    assert unit(done.evaluation_id).seconds < 60
    sweeper.sweep()
    sweeper.let_pass(1.0)
    assert record.postpone_or_fail(claim(postponed), problem, 60)
    assert unit(postponed).state == "queued"
    sweeper.let_pass(LEASE_S + 1.0)
    assert sweeper.sweep().reclaimed == 1
    assert look(dead.evaluation_id).status == "running"
    assert unit(dead.evaluation_id).lost_seconds <= LEASE_S + 1.0


@pytest.mark.parametrize("jump", [-HOUR, -2 * DAY])
def test_exact_an_outage_ends_although_the_clock_was_set_back(
    set_clock: SetClock, jump: float
) -> None:
    sweeper = Sweeper(set_clock)
    problem = failures.describe_outage(60, "no store")
    postponed = submit_nap()
    assert record.postpone_or_fail(claim(postponed), problem, 60)
    assert sweeper.sweep().on_duty
    sweeper.jump(jump)
    sweeper.sweep()
    sweeper.let_pass(61.0)
    assert record.postpone_or_fail(claim(postponed), problem, 60)
    assert look(postponed).status == "failed"


@pytest.mark.parametrize("jump", JUMPS)
def test_exact_a_dead_worker_is_not_counted(set_clock: SetClock, jump: float) -> None:
    sweeper = Sweeper(set_clock)
    with unit_of_work() as connection:
        workers.record_heartbeat(connection, WorkerProcess(uuid4(), uuid4(), "here", 1, "0"))
    assert sweeper.sweep().on_duty
    sweeper.jump(jump)
    sweeper.sweep()
    with reading() as connection:
        assert workers.count_alive(connection, LEASE_S) == 1
    sweeper.let_pass(LEASE_S + 1.0)
    with reading() as connection:
        assert workers.count_alive(connection, LEASE_S) == 0


@pytest.mark.parametrize("jump", JUMPS)
def test_exact_pauses_of_deliveries_keep_their_length(set_clock: SetClock, jump: float) -> None:
    sweeper = Sweeper(set_clock)
    webhooks.create(LOCAL_OWNER_ID, "https://hooks.example.com", ["evaluation.cancelled"], None)
    for _ in range(2):
        cancel(LOCAL_OWNER_ID, submit_nap())
    with unit_of_work() as connection:
        listed = stored.list_due(connection, 10)
        (claimed,) = stored.claim(connection, [listed[0].id], 60.0)
        stored.record_attempt(connection, claimed, {"last_status": 500}, 300.0)
    assert sweeper.sweep().on_duty
    sweeper.jump(jump)
    sweeper.sweep()

    def count_due() -> int:
        with reading() as connection:
            return len(stored.list_due(connection, 10))

    assert count_due() == 1
    sweeper.let_pass(290.0)
    assert count_due() == 1
    sweeper.let_pass(20.0)
    assert count_due() == 2


def test_exact_a_clock_that_runs_with_the_time_changes_nothing(set_clock: SetClock) -> None:
    sweeper = Sweeper(set_clock)
    claimed = claim(submit_nap())
    before = unit(claimed.evaluation_id)
    for seconds in (0.0, 1.0, 8.0, 19.0):
        sweeper.let_pass(seconds)
        assert sweeper.sweep().jump_s == 0.0
    sweeper.kill()  # and a new one starts
    sweeper.let_pass(1.0)
    assert sweeper.sweep().jump_s == 0.0
    assert unit(claimed.evaluation_id) == before
