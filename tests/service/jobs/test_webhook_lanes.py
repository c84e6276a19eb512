"""Receivers that do not answer: what they delay, and what they do not."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID, uuid4

import pytest
import sqlalchemy as sa

from tests.servers.receiver import run_receiver
from tests.servers.slow_receiver import run_slow_receiver
from tests.service.jobs.evaluations import submit_nap
from tests.service.storage.databases import Setting
from thetahat_service.jobs import webhooks
from thetahat_service.jobs.cancel import cancel
from thetahat_service.jobs.deliveries import AT_ONCE, AT_ONCE_PER_OWNER
from thetahat_service.settings import get_settings
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.tables import OWNER, WEBHOOK_DELIVERY
from thetahat_service.storage.unit_of_work import reading, unit_of_work
from thetahat_service.supervisor import delivery_thread
from thetahat_service.supervisor.delivery_thread import DeliveryThread

N_HANGING = 20
GOAL_S = 20.0  # less than a receiver that hangs may take
HANGS_S = 60.0
WAIT_S = 60.0
TIMEOUT_S = 0.5


def add_owner(name: str) -> UUID:
    owner_id = uuid4()
    with unit_of_work() as connection:
        connection.execute(
            sa.insert(OWNER).values(id=owner_id, name=name, created_at=sa.func.current_timestamp())
        )
    return owner_id


def register(owner_id: UUID, port: int, count: int = 1) -> None:
    for i in range(count):
        url = f"http://127.0.0.1:{port}/{i}"
        webhooks.create(owner_id, url, ["evaluation.cancelled"], None)


def end_one(owner_id: UUID) -> None:
    """End an evaluation of an owner, which is due to all of the owner's webhooks."""
    cancel(owner_id, submit_nap(owner_id=owner_id))


def states() -> list[tuple[str, int, str | None]]:
    columns = WEBHOOK_DELIVERY.c
    with reading() as connection:
        statement = sa.select(columns.state, columns.attempts, columns.last_error)
        return [(row[0], row[1], row[2]) for row in connection.execute(statement)]


@contextmanager
def delivering() -> Iterator[DeliveryThread]:
    thread = DeliveryThread(get_settings())
    thread.start()
    try:
        yield thread
    finally:
        thread.stop()


def allow(setting: Setting, *ports: int, timeout_s: float = TIMEOUT_S) -> None:
    setting(
        webhook_allowed_hosts=",".join(f"http://127.0.0.1:{port}" for port in ports),
        webhook_pauses_s="60",
        webhook_timeout_s=timeout_s,
        sweep_s=0.2,
    )


@pytest.mark.parametrize("drips", [False, True])
def test_exact_another_owner_does_not_wait_for_receivers_that_hang(
    database: str, setting: Setting, *, drips: bool
) -> None:
    with run_slow_receiver(drips=drips) as slow, run_receiver() as receiver:
        allow(setting, slow.port, receiver.port, timeout_s=HANGS_S)
        other = add_owner("ann")
        register(LOCAL_OWNER_ID, slow.port, N_HANGING)
        register(other, receiver.port)
        for _ in range(3):
            end_one(LOCAL_OWNER_ID)
        with delivering():
            until = time.monotonic() + WAIT_S
            while not slow.open_now:
                assert time.monotonic() < until
                time.sleep(0.01)
            began = time.monotonic()
            end_one(other)
            receiver.wait_for(1, GOAL_S)
            assert time.monotonic() - began < GOAL_S
            assert slow.most_open <= AT_ONCE_PER_OWNER


def test_exact_many_owners_whose_receivers_hang_leave_a_lane_for_each_other(
    sqlite: None, setting: Setting
) -> None:
    """Twelve owners would take more lanes than there are, if each took all that one may."""
    with run_slow_receiver(drips=False) as slow, run_receiver() as receiver:
        allow(setting, slow.port, receiver.port, timeout_s=HANGS_S)
        owners = [add_owner(f"owner {i}") for i in range(12)]
        for owner in owners:
            register(owner, slow.port, 4)
            end_one(owner)
        assert AT_ONCE_PER_OWNER * len(owners) > AT_ONCE
        other = add_owner("ann")
        register(other, receiver.port)
        with delivering():
            until = time.monotonic() + WAIT_S
            while len(slow.open_now) < len(owners):
                assert time.monotonic() < until
                time.sleep(0.01)
            time.sleep(0.5)  # whatever else would be sent
            end_one(other)
            receiver.wait_for(1, GOAL_S)
            assert slow.most_open < AT_ONCE


def test_exact_a_head_that_drips_ends_with_the_timeout(sqlite: None, setting: Setting) -> None:
    with run_slow_receiver(drips=True) as slow:
        allow(setting, slow.port)
        register(LOCAL_OWNER_ID, slow.port)
        end_one(LOCAL_OWNER_ID)
        with delivering():
            until = time.monotonic() + TIMEOUT_S + GOAL_S
            while states() != [("pending", 1, "no answer in time")]:
                assert time.monotonic() < until, states()
                time.sleep(0.05)
        assert slow.opened == 1


def test_exact_what_a_stop_interrupts_is_due_at_once(
    database: str, setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    with run_slow_receiver(drips=True) as slow:
        monkeypatch.setattr(delivery_thread, "STOP_S", WAIT_S)
        allow(setting, slow.port, timeout_s=HANGS_S)
        register(LOCAL_OWNER_ID, slow.port, 2)
        end_one(LOCAL_OWNER_ID)
        with delivering() as thread:
            until = time.monotonic() + WAIT_S
            while len(slow.open_now) < 2:
                assert time.monotonic() < until
                time.sleep(0.01)
            began = time.monotonic()
            thread.stop()
            assert time.monotonic() - began < GOAL_S
        assert states() == [("pending", 0, None)] * 2
        with delivering():
            until = time.monotonic() + GOAL_S
            while slow.opened < 4:
                assert time.monotonic() < until, states()
                time.sleep(0.01)
