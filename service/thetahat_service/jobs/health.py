"""Whether the service can accept and compute evaluations now."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass
from typing import Final, Literal

from sqlalchemy.exc import SQLAlchemyError

from thetahat_service.broker import queue
from thetahat_service.errors import Unavailable
from thetahat_service.settings import get_settings
from thetahat_service.storage import schema, workers
from thetahat_service.storage.open_files import open_file_store
from thetahat_service.storage.time_limits import answer_within
from thetahat_service.storage.unit_of_work import reading

log = logging.getLogger(__name__)

ANSWER_S: Final = 2.0  # longest wait for the database


@dataclass(frozen=True, slots=True)
class Readiness:
    """The parts of the service that work, and the number of workers."""

    database: bool
    migrations: bool
    broker: bool
    store: bool
    workers: int
    prepared_workers: int

    @property
    def missing(self) -> list[str]:
        """Names of the parts that are missing."""
        return [name for name, works in asdict(self).items() if not works]

    @property
    def status(self) -> Literal["ready", "warming", "not ready"]:
        """Whether a request would be accepted and evaluated now, soon or not."""
        if not self.missing:
            return "ready"
        return "warming" if self.missing == ["prepared_workers"] else "not ready"


def check_readiness() -> Readiness:
    """Check the database, the broker, the file store and the workers; never raises."""
    database = migrations = False
    alive = prepared = 0
    try:
        with answer_within(ANSWER_S):
            migrations = schema.is_current()
            database = True
            if migrations:
                with reading() as connection:
                    alive = workers.count_alive(connection, get_settings().lease_s)
                    prepared = workers.count_prepared(connection, get_settings().lease_s)
    except (SQLAlchemyError, OSError):
        database = database and migrations
    store = migrations and _has_store()
    return Readiness(database, migrations, queue.is_up(), store, alive, prepared)


def _has_store() -> bool:
    """Return whether the file store is there, can be written to and has free space."""
    try:
        with answer_within(ANSWER_S):
            open_file_store().check_space()
    except (Unavailable, SQLAlchemyError, OSError) as error:
        log.warning("store.not_ready", extra={"reason": str(error)})
        return False
    return True
