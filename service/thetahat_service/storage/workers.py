"""Worker processes with their heartbeats, and duties that only one process has at a time."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

import sqlalchemy as sa

from thetahat_service.storage.engine import EpochNow
from thetahat_service.storage.tables import LEASE, WORKER


@dataclass(frozen=True, slots=True)
class WorkerProcess:
    """One process that computes."""

    id: UUID
    """Identifies the process in claims."""
    node: UUID
    """Identifies the command that started it, which notices when the process ends."""
    host: str
    pid: int
    """Machine and process id."""
    version: str
    """The release of the service."""


def record_heartbeat(
    connection: sa.Connection, worker: WorkerProcess, prepared_at: datetime | None = None
) -> None:
    """Store the time of a worker's heartbeat, and the worker at its first one.

    At ``prepared_at`` the worker had imported its packages and loaded its compiled loops, or had
    computed a unit; it is None before that.
    """
    statement = (
        sa.update(WORKER)
        .where(WORKER.c.id == worker.id)
        .values(heartbeat_at=EpochNow(), prepared_at=prepared_at)
    ).returning(WORKER.c.id)
    if connection.execute(statement).one_or_none() is None:
        connection.execute(
            sa.insert(WORKER).values(
                id=worker.id,
                node=worker.node,
                host=worker.host,
                pid=worker.pid,
                version=worker.version,
                started_at=datetime.now(UTC),
                heartbeat_at=EpochNow(),
                prepared_at=prepared_at,
            )
        )


def count_alive(connection: sa.Connection, seconds: float) -> int:
    """Return how many workers had a heartbeat in the last ``seconds`` seconds."""
    statement = sa.select(sa.func.count()).where(WORKER.c.heartbeat_at > EpochNow() - seconds)
    return connection.execute(statement).scalar_one()


def count_prepared(connection: sa.Connection, seconds: float) -> int:
    """Return how many of the workers that ``count_alive`` counts are prepared to compute."""
    statement = sa.select(sa.func.count()).where(
        WORKER.c.heartbeat_at > EpochNow() - seconds, WORKER.c.prepared_at.is_not(None)
    )
    return connection.execute(statement).scalar_one()


def has_prepared(connection: sa.Connection, node: UUID) -> bool:
    """Return whether a worker of this node is prepared to compute."""
    statement = sa.select(WORKER.c.id).where(
        WORKER.c.node == node, WORKER.c.prepared_at.is_not(None)
    )
    return connection.execute(statement.limit(1)).one_or_none() is not None


def list_process_ids(connection: sa.Connection, node: UUID) -> dict[UUID, int]:
    """Return the process id of each of a node's workers."""
    statement = sa.select(WORKER.c.id, WORKER.c.pid).where(WORKER.c.node == node)
    return {row.id: row.pid for row in connection.execute(statement)}


def list_ids(connection: sa.Connection) -> list[UUID]:
    """Return all stored workers."""
    return list(connection.scalars(sa.select(WORKER.c.id)))


def remove(connection: sa.Connection, ids: Collection[UUID]) -> None:
    """Remove workers that have ended."""
    connection.execute(sa.delete(WORKER).where(WORKER.c.id.in_(ids)))


def remove_silent(connection: sa.Connection, seconds: float) -> None:
    """Remove workers without a heartbeat in the last ``seconds`` seconds."""
    connection.execute(
        sa.delete(WORKER).where(WORKER.c.heartbeat_at < EpochNow() - seconds),
    )


def take_duty(connection: sa.Connection, name: str, holder: UUID, seconds: float) -> bool:
    """Take a duty, or extend it; False if another process has it.

    A duty whose end is further away than ``seconds`` was taken before the clock was set back, and
    is free.
    """
    free = sa.or_(
        LEASE.c.holder == holder,
        LEASE.c.holder.is_(None),
        LEASE.c.until < EpochNow(),
        LEASE.c.until > EpochNow() + seconds,
    )
    statement = (
        sa.update(LEASE)
        .where(LEASE.c.name == name, free)
        .values(holder=holder, until=EpochNow() + seconds)
        .returning(LEASE.c.name)
    )
    return connection.execute(statement).one_or_none() is not None


def read_duty_end(connection: sa.Connection, name: str) -> float:
    """Return when the duty ends or ended, by the database's clock; 0 if nobody had it."""
    statement = sa.select(LEASE.c.until).where(LEASE.c.name == name)
    return float(connection.execute(statement).scalar_one())


def release_duty(connection: sa.Connection, name: str, holder: UUID) -> None:
    """Give up a duty, so that another process can take it at once.

    Its end stays: it shows later whether the clock was set back.
    """
    statement = sa.update(LEASE).where(LEASE.c.name == name, LEASE.c.holder == holder)
    connection.execute(statement.values(holder=None))
