"""How many evaluations have finished, whatever is broken."""

from __future__ import annotations

import time
from typing import Final

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from tests.chaos.jobs import UNFINISHED
from thetahat_service.storage.tables import EVALUATION
from thetahat_service.storage.unit_of_work import reading

POLL_S: Final = 0.1


def count_finished() -> int:
    """Return how many evaluations have finished; waits while the database cannot be read."""
    statement = sa.select(sa.func.count()).where(EVALUATION.c.status.not_in(UNFINISHED))
    while True:
        try:
            with reading() as connection:
                return int(connection.execute(statement).scalar_one())
        except SQLAlchemyError:
            time.sleep(POLL_S)


def wait_until_finished(n: int, seconds: float) -> None:
    """Wait until so many evaluations have finished, or until the time is over."""
    deadline = time.monotonic() + seconds
    while count_finished() < n and time.monotonic() < deadline:
        time.sleep(POLL_S)
