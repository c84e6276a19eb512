"""Worker processes: who is there, and when each was last heard of."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

import sqlalchemy as sa

from service.storage.engine import EpochNow
from service.storage.tables import LEASE, WORKER


@dataclass(frozen=True, slots=True)
class WorkerProcess:
    """One process that computes.

    Parameters
    ----------
    id : UUID
        Its name in claims.
    node : UUID
        The command that started it; a node knows which of its processes have ended.
    host, pid : str, int
        Where it runs.
    version : str
        The release it runs.
    """

    id: UUID
    node: UUID
    host: str
    pid: int
    version: str


def beat(connection: sa.Connection, worker: WorkerProcess) -> None:
    """Say that a worker is there."""
    statement = (
        sa.update(WORKER).where(WORKER.c.id == worker.id).values(heartbeat_at=EpochNow())
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
            )
        )


def count_alive(connection: sa.Connection, seconds: float) -> int:
    """Return how many workers were heard of within so many seconds."""
    statement = sa.select(sa.func.count()).where(WORKER.c.heartbeat_at > EpochNow() - seconds)
    return connection.execute(statement).scalar_one()


def of_node(connection: sa.Connection, node: UUID) -> dict[UUID, int]:
    """Return the process ids of a node's workers."""
    statement = sa.select(WORKER.c.id, WORKER.c.pid).where(WORKER.c.node == node)
    return {row.id: row.pid for row in connection.execute(statement)}


def every(connection: sa.Connection) -> list[UUID]:
    """Return all workers there are rows of."""
    return list(connection.scalars(sa.select(WORKER.c.id)))


def remove(connection: sa.Connection, ids: Collection[UUID]) -> None:
    """Forget workers that have ended."""
    connection.execute(sa.delete(WORKER).where(WORKER.c.id.in_(ids)))


def remove_silent(connection: sa.Connection, seconds: float) -> None:
    """Forget workers that were not heard of for so many seconds."""
    connection.execute(
        sa.delete(WORKER).where(WORKER.c.heartbeat_at < EpochNow() - seconds),
    )


def take_duty(connection: sa.Connection, name: str, holder: UUID, seconds: float) -> bool:
    """Take or keep a duty that one process at a time has; False when another has it."""
    free = sa.or_(LEASE.c.holder == holder, LEASE.c.holder.is_(None), LEASE.c.until < EpochNow())
    statement = (
        sa.update(LEASE)
        .where(LEASE.c.name == name, free)
        .values(holder=holder, until=EpochNow() + seconds)
        .returning(LEASE.c.name)
    )
    return connection.execute(statement).one_or_none() is not None


def leave_duty(connection: sa.Connection, name: str, holder: UUID) -> None:
    """Let another process take the duty at once."""
    statement = sa.update(LEASE).where(LEASE.c.name == name, LEASE.c.holder == holder)
    connection.execute(statement.values(holder=None, until=0.0))
