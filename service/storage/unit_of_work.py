"""Database transactions: each is written completely or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from service.storage.engine import engines


@contextmanager
def unit_of_work(*, no_wait: bool = False) -> Iterator[sa.Connection]:
    """Open a transaction that may write; it is committed at the end, or rolled back on an error.

    On SQLite it takes the write lock at once, so keep it short and compute outside it. With
    ``no_wait`` it raises ``OperationalError`` within milliseconds if another process is writing to
    SQLite; nothing is changed then, and it can be repeated.
    """
    engine = engines().writing_without_wait if no_wait else engines().writing
    with engine.begin() as connection:
        yield connection


@contextmanager
def reading() -> Iterator[sa.Connection]:
    """Open a connection for reading."""
    with engines().reading.connect() as connection:
        yield connection
