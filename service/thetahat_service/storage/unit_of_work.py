"""Database transactions: each is written completely or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final
from weakref import WeakKeyDictionary

import sqlalchemy as sa

from thetahat_service.storage.engine import get_engines

_AFTER_COMMIT: Final[WeakKeyDictionary[sa.Connection, list[Callable[[], object]]]] = (
    WeakKeyDictionary()
)


@contextmanager
def unit_of_work(*, no_wait: bool = False) -> Iterator[sa.Connection]:
    """Open a transaction that may write; it is committed at the end, or rolled back on an error.

    What was written is on the disk when the block has ended. On SQLite the transaction takes the
    write lock at once, so keep it short and compute outside it. ``no_wait`` is for callers on the
    event loop and for what may be lost: on SQLite it raises ``OperationalError`` within
    milliseconds if another process is writing, and does not wait for the disk.
    """
    engine = get_engines().writing_without_wait if no_wait else get_engines().writing
    actions: list[Callable[[], object]] = []
    with engine.begin() as connection:
        _AFTER_COMMIT[connection] = actions
        yield connection
    for action in actions:
        action()


def call_after_commit(connection: sa.Connection, action: Callable[[], object]) -> None:
    """Call a function once the transaction of ``unit_of_work`` is committed; else never."""
    _AFTER_COMMIT[connection].append(action)


@contextmanager
def reading() -> Iterator[sa.Connection]:
    """Open a connection for reading."""
    with get_engines().reading.connect() as connection:
        yield connection
