"""One unit of work is one transaction: written whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from service.storage.engine import engines


@contextmanager
def unit_of_work(*, hurried: bool = False) -> Iterator[sa.Connection]:
    """Open a transaction that may write; it is committed at the end, or rolled back on an error.

    On SQLite it takes the write lock at once, so keep it short and compute outside it. Hurried, it
    raises ``OperationalError`` within milliseconds where another process is writing to SQLite;
    nothing has happened then, and it can be done again.
    """
    engine = engines().hurried if hurried else engines().writing
    with engine.begin() as connection:
        yield connection


@contextmanager
def reading() -> Iterator[sa.Connection]:
    """Open a connection that only reads."""
    with engines().reading.connect() as connection:
        yield connection
