"""Whether anything in the database has changed, for the price of a hundredth of a query."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

from service.settings import is_sqlite
from service.storage.engine import engines


@contextmanager
def changes() -> Iterator[Callable[[], bool]]:
    """Give a question to be asked again and again: may anything have changed since the last time.

    SQLite counts, for each connection, what the others have committed; so this is a connection of
    its own, taken out of the pool, where nobody waits for it. PostgreSQL has nothing so cheap, and
    there the answer is always yes, as it is the first time. Ask it before looking: what is changed
    between the two is then seen at the next look.
    """
    if not is_sqlite():
        yield lambda: True
        return
    connection = engines().reading.raw_connection()
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
