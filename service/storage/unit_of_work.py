"""One unit of work is one transaction: written whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa
from sqlalchemy.orm import Session

from service.storage.engine import engines


@contextmanager
def unit_of_work() -> Iterator[Session]:
    """Open a transaction that may write; it is committed at the end, or rolled back on an error.

    On SQLite it takes the write lock at once, so keep it short and compute outside it.
    """
    with Session(engines().writing, expire_on_commit=False) as session, session.begin():
        yield session


@contextmanager
def writing(*, hurried: bool = False) -> Iterator[sa.Connection]:
    """Open a transaction like ``unit_of_work``, on a bare connection: for the busiest of them.

    Hurried, it raises ``OperationalError`` within milliseconds where another process is writing to
    SQLite; nothing has happened then, and it can be done again.
    """
    engine = engines().hurried if hurried else engines().writing
    with engine.begin() as connection:
        yield connection


@contextmanager
def looking() -> Iterator[sa.Connection]:
    """Open a bare connection for one read: what the busiest requests do, at a third of the cost."""
    with engines().reading.connect() as connection:
        yield connection


@contextmanager
def reading() -> Iterator[Session]:
    """Open a session that only reads."""
    with Session(engines().reading, expire_on_commit=False) as session:
        yield session
