"""Evaluations for the tests of the machinery."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any
from uuid import UUID

import sqlalchemy as sa

from tests.worker.sleeping_kind import SleepRequest
from thetahat_service.jobs import read
from thetahat_service.jobs.submit import prepare_submission, submit
from thetahat_service.settings import get_settings
from thetahat_service.storage.evaluations import EvaluationRow
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.tables import UNIT
from thetahat_service.storage.unit_of_work import reading, unit_of_work
from thetahat_worker.executor import UnitExecutor
from thetahat_worker.interrupts import SharedFlag

LONGEST_S = 120.0  # of a wait that takes a second on a quiet machine, and more on a busy one


def submit_nap(owner_id: UUID = LOCAL_OWNER_ID, *, is_awaited: bool = False, **fields: Any) -> UUID:
    """Submit an evaluation of the sleeping kind and return its id."""
    request = SleepRequest(kind="sleeping", **fields)
    submission = prepare_submission(owner_id, request, {})
    return submit(replace(submission, is_awaited=is_awaited)).evaluation_id


def look(evaluation_id: UUID) -> EvaluationRow:
    """Return an evaluation of the local owner."""
    return read.get(LOCAL_OWNER_ID, evaluation_id)


def make_executor() -> UnitExecutor:
    """Return a worker that is not watched; its claims do not lengthen."""
    return UnitExecutor(get_settings(), SharedFlag())


def unit(evaluation_id: UUID, number: int = 0) -> sa.Row[Any]:
    """Return a unit's columns."""
    with reading() as connection:
        return connection.execute(
            sa.select(*UNIT.c).where(UNIT.c.evaluation_id == evaluation_id, UNIT.c.number == number)
        ).one()


def units(evaluation_id: UUID) -> list[sa.Row[Any]]:
    """Return all units of an evaluation in their order."""
    with reading() as connection:
        return list(
            connection.execute(
                sa.select(*UNIT.c)
                .where(UNIT.c.evaluation_id == evaluation_id)
                .order_by(UNIT.c.number)
            )
        )


def set_unit(evaluation_id: UUID, number: int = 0, **values: Any) -> None:
    """Change a unit behind the service's back."""
    with unit_of_work() as connection:
        connection.execute(
            sa.update(UNIT)
            .where(UNIT.c.evaluation_id == evaluation_id, UNIT.c.number == number)
            .values(**values)
        )


def wait_for(evaluation_id: UUID, *statuses: str, seconds: float = LONGEST_S) -> EvaluationRow:
    """Wait until an evaluation has one of the states."""
    deadline = time.monotonic() + seconds
    while (row := look(evaluation_id)).status not in statuses:
        assert time.monotonic() < deadline, f"{row.status} after {seconds} s: {row.error}"
        time.sleep(0.02)
    return row
