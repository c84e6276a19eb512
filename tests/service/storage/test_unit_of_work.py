from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from uuid import uuid4

import pytest
import sqlalchemy as sa

from thetahat_service.json_encoding import encode_json
from thetahat_service.storage import engine
from thetahat_service.storage.tables import LEASE, OWNER
from thetahat_service.storage.unit_of_work import reading, unit_of_work

PROCESSES = 4
WRITES = 100
READ_THEN_WRITE = f"""
import sqlalchemy as sa
from thetahat_service.storage.tables import LEASE
from thetahat_service.storage.unit_of_work import unit_of_work
for _ in range({WRITES}):
    with unit_of_work() as connection:
        until = connection.scalars(sa.select(LEASE.c.until).with_for_update()).one()
        connection.execute(sa.update(LEASE).values(until=until + 1))
"""


def test_exact_four_processes_lose_no_update(database: str) -> None:
    command = [sys.executable, "-c", READ_THEN_WRITE]
    racing = [subprocess.Popen(command, env=os.environ) for _ in range(PROCESSES)]
    assert [process.wait(timeout=240) for process in racing] == [0] * PROCESSES
    with reading() as connection:
        assert connection.scalar(sa.select(LEASE.c.until)) == PROCESSES * WRITES


def test_exact_an_error_undoes_the_whole_unit_of_work(database: str) -> None:
    with pytest.raises(ZeroDivisionError):
        _write_then_fail()
    with reading() as connection:
        assert connection.scalar(sa.select(LEASE.c.until)) == 0.0


def _write_then_fail() -> None:
    with unit_of_work() as connection:
        connection.execute(sa.update(LEASE).values(until=1.0))
        raise ZeroDivisionError


def _add(owner: Mapping[str, object]) -> None:
    with unit_of_work() as connection:
        connection.execute(sa.insert(OWNER), owner)


def test_exact_moments_come_back_as_they_went_in(database: str) -> None:
    moment = datetime(2026, 2, 3, 4, 5, 6, 789, tzinfo=timezone(timedelta(hours=5)))
    owner = {"id": uuid4(), "name": "someone", "created_at": moment}
    _add(owner)
    with reading() as connection:
        values = connection.scalars(
            sa.select(OWNER.c.created_at).where(OWNER.c.id == owner["id"])
        ).one()
    assert values == moment
    assert values.tzinfo == UTC


def test_invalid_a_moment_without_its_zone(sqlite: None) -> None:
    naive = datetime(2026, 2, 3)  # noqa: DTZ001 - the fault
    owner = {"id": uuid4(), "name": "someone", "created_at": naive}
    with pytest.raises(sa.exc.StatementError, match="has no zone"):
        _add(owner)


def test_exact_the_databases_clock_is_in_epoch_seconds(database: str) -> None:
    before = datetime.now(UTC).timestamp()
    with reading() as connection:
        now = connection.execute(sa.select(engine.EpochNow())).scalar_one()
    after = datetime.now(UTC).timestamp()
    # Both run on this machine; SQLite's clock counts whole milliseconds.
    assert before - 0.002 <= now <= after + 0.002


def test_invalid_another_kind_of_database() -> None:
    with pytest.raises(ValueError, match="must be an address of SQLite or PostgreSQL, not of"):
        engine.make("mysql://localhost/x")


def test_exact_json_has_no_nan() -> None:
    assert encode_json({"a": float("nan"), "b": float("inf"), "c": 0.1}) == (
        '{"a":null,"b":null,"c":0.1}'
    )
