"""A fast check whether the database has changed, which takes a hundredth of a query's time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

from thetahat_service.settings import is_sqlite
from thetahat_service.storage.engine import get_engines


@contextmanager
def watch_for_changes() -> Iterator[Callable[[], bool]]:
    """Yield a function that returns whether anything may have changed since its last call.

    SQLite counts, for each connection, what the others have committed; so this uses a connection of
    its own, outside the pool. PostgreSQL has nothing as cheap, so the function always returns True
    there, as it does at the first call. Call it before a query: a change between the two is then
    reported by the next call.
    """
    if not is_sqlite():
        yield lambda: True
        return
    connection = get_engines().reading.raw_connection()
    connection.detach()
    with closing(connection):
        cursor = connection.cursor()
        last: Any = None

        def may_have_changed() -> bool:
            nonlocal last
            cursor.execute("PRAGMA data_version")
            before, last = last, cursor.fetchall()
            return bool(before != last)

        yield may_have_changed
