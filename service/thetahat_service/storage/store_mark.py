"""The id of the file store, which is in the database and in a file of the store.

A folder that is not mounted looks like an empty one. Without the id, uploads would be written below
the mount point, and every stored file would seem to be lost.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import Final
from uuid import UUID, uuid4

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from thetahat_service.errors import Unavailable
from thetahat_service.settings import get_settings
from thetahat_service.storage.files import FileStore
from thetahat_service.storage.tables import FILE_STORE
from thetahat_service.storage.unit_of_work import reading, unit_of_work

ONLY_ROW: Final = "files"

_IDS: Final[dict[str, UUID]] = {}
"""Ids by database URL; an id never changes."""


def forget_ids() -> None:
    """Read the id from the database again at the next use."""
    _IDS.clear()


os.register_at_fork(after_in_child=forget_ids)


def read_store_id(store: FileStore) -> UUID:
    """Return the id that the store must have.

    At the first use of a database, the store is made if needed and gets its id. A store that has a
    mark already keeps it, unless the mark is empty, which is what a full disk left of it.
    """
    url = get_settings().resolved_database_url
    if url not in _IDS:
        _IDS[url] = _read() or _mark(store)
    return _IDS[url]


def _read() -> UUID | None:
    with reading() as connection:
        identifier: UUID | None = connection.scalar(sa.select(FILE_STORE.c.id))
    return identifier


def _mark(store: FileStore) -> UUID:
    """Return the id of this database's file store; a new store is marked with a new id."""
    try:
        with unit_of_work() as connection:
            mark = store.read_mark()
            identifier = _parse_mark(mark) if mark else uuid4()
            row = {"name": ONLY_ROW, "id": identifier, "created_at": datetime.now(UTC)}
            connection.execute(
                sa.insert(FILE_STORE), row
            )  # other processes wait here until the commit
            if not mark:
                store.write_mark(identifier)
    except IntegrityError:  # another process has written it first
        identifier = _read() or identifier
    return identifier


def _parse_mark(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Unavailable(
            f"The mark of the file store is not an id: {text[:40]!r}. Delete the file of the mark "
            "if the store is the right one."
        ) from None
