"""Worker processes: who is there, and when each was last heard of."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.orm import Session

from service.storage.engine import EpochNow
from service.storage.models import Lease, Worker


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


def beat(session: Session, worker: WorkerProcess) -> None:
    """Say that a worker is there."""
    statement = (
        sa.update(Worker).where(Worker.id == worker.id).values(heartbeat_at=EpochNow())
    ).returning(Worker.id)
    if session.execute(statement, execution_options=_PLAIN).one_or_none() is None:
        session.execute(
            sa.insert(Worker).values(
                id=worker.id,
                node=worker.node,
                host=worker.host,
                pid=worker.pid,
                version=worker.version,
                started_at=datetime.now(UTC),
                heartbeat_at=EpochNow(),
            )
        )


def count_alive(session: Session | sa.Connection, seconds: float) -> int:
    """Return how many workers were heard of within so many seconds."""
    statement = sa.select(sa.func.count()).where(Worker.heartbeat_at > EpochNow() - seconds)
    return session.execute(statement).scalar_one()


def of_node(session: Session, node: UUID) -> dict[UUID, int]:
    """Return the process ids of a node's workers."""
    statement = sa.select(Worker.id, Worker.pid).where(Worker.node == node)
    return {row.id: row.pid for row in session.execute(statement)}


def every(session: Session) -> list[UUID]:
    """Return all workers there are rows of."""
    return list(session.scalars(sa.select(Worker.id)))


def remove(session: Session, ids: Collection[UUID]) -> None:
    """Forget workers that have ended."""
    session.execute(sa.delete(Worker).where(Worker.id.in_(ids)), execution_options=_PLAIN)


def remove_silent(session: Session, seconds: float) -> None:
    """Forget workers that were not heard of for so many seconds."""
    session.execute(
        sa.delete(Worker).where(Worker.heartbeat_at < EpochNow() - seconds),
        execution_options=_PLAIN,
    )


def take_duty(session: Session, name: str, holder: UUID, seconds: float) -> bool:
    """Take or keep a duty that one process at a time has; False when another has it."""
    free = sa.or_(Lease.holder == holder, Lease.holder.is_(None), Lease.until < EpochNow())
    statement = (
        sa.update(Lease)
        .where(Lease.name == name, free)
        .values(holder=holder, until=EpochNow() + seconds)
        .returning(Lease.name)
    )
    return session.execute(statement, execution_options=_PLAIN).one_or_none() is not None


def leave_duty(session: Session, name: str, holder: UUID) -> None:
    """Let another process take the duty at once."""
    statement = sa.update(Lease).where(Lease.name == name, Lease.holder == holder)
    session.execute(statement.values(holder=None, until=0.0), execution_options=_PLAIN)


_PLAIN = {"synchronize_session": False}
