"""Rows of an owner that are made once for an Idempotency-Key: series and protocols.

Their tables have the columns ``id``, ``owner_id``, ``created_at``, ``key`` and ``fingerprint``, and
a unique constraint on the owner and the key.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from thetahat_service.errors import (
    IdempotencyMismatch,
    IdempotencyRace,
    QuotaExceeded,
    ResourceNotFound,
)
from thetahat_service.storage.newest_first import Position, cut_page, select_newest
from thetahat_service.storage.rows import StoredRows
from thetahat_service.storage.unit_of_work import reading, unit_of_work


class OwnedRow(Protocol):
    """What rows with an owner have in common."""

    @property
    def id(self) -> UUID:
        """Its id."""

    @property
    def created_at(self) -> datetime:
        """The time of its creation."""


class KeyedRow(OwnedRow, Protocol):
    """What rows have in common that a request may make with an Idempotency-Key."""

    @property
    def fingerprint(self) -> str:
        """The digest of the body that made it."""


R = TypeVar("R", bound=OwnedRow)
K = TypeVar("K", bound=KeyedRow)


@dataclass(frozen=True, slots=True)
class OwnedRows(StoredRows[R]):
    """A table whose rows have an ``id``, an owner and a time of creation."""

    noun: str
    nouns: str
    """What a row is called, and several."""

    def _is(self, owner_id: UUID, identifier: UUID) -> sa.ColumnElement[bool]:
        return sa.and_(self.table.c.id == identifier, self.table.c.owner_id == owner_id)

    def count(self, connection: sa.Connection, owner_id: UUID) -> int:
        """Return the number of rows of an owner."""
        counted = sa.select(sa.func.count()).select_from(self.table)
        statement = counted.where(self.table.c.owner_id == owner_id)
        return int(connection.execute(statement).scalar_one())

    def check_quota(
        self, connection: sa.Connection, owner_id: UUID, most: int, setting: str
    ) -> None:
        """Raise ``QuotaExceeded`` if an owner may have no more rows."""
        if self.count(connection, owner_id) >= most:
            raise QuotaExceeded(
                f"This owner has {most} {self.nouns}, which is the limit ({setting}). Delete one "
                "that is no longer needed."
            )

    def find(self, connection: sa.Connection, owner_id: UUID, identifier: UUID) -> R | None:
        """Return an owner's row; None if there is none of that id."""
        return self.read_one(connection, self.select(self._is(owner_id, identifier)))

    def get(self, connection: sa.Connection, owner_id: UUID, identifier: UUID) -> R:
        """Return an owner's row; ``ResourceNotFound`` if there is none of that id."""
        return self._require(self.find(connection, owner_id, identifier), identifier)

    def fetch(self, owner_id: UUID, identifier: UUID) -> R:
        """Return an owner's row as ``get`` does, by a connection of its own."""
        with reading() as connection:
            return self.get(connection, owner_id, identifier)

    def lock(self, connection: sa.Connection, owner_id: UUID, identifier: UUID) -> R:
        """Return an owner's row as ``get`` does, locked until the transaction ends."""
        statement = self.select(self._is(owner_id, identifier)).with_for_update()
        return self._require(self.read_one(connection, statement), identifier)

    def _require(self, row: R | None, identifier: UUID) -> R:
        if row is None:
            raise ResourceNotFound(f"There is no {self.noun} {identifier}.")
        return row

    def update(self, connection: sa.Connection, identifier: UUID, **values: object) -> None:
        """Change columns of a row."""
        changed = sa.update(self.table).where(self.table.c.id == identifier)
        connection.execute(changed.values(**values))

    def delete(self, connection: sa.Connection, identifier: UUID) -> None:
        """Delete a row and, by cascade, what belongs to it."""
        connection.execute(sa.delete(self.table).where(self.table.c.id == identifier))

    def list_page(
        self,
        owner_id: UUID,
        before: Position | None,
        limit: int,
        *conditions: sa.ColumnElement[bool],
    ) -> tuple[list[R], Position | None]:
        """Return one page of an owner's rows, newest first, and the position of its end."""
        columns = self.table.c
        owned = self.select(columns.owner_id == owner_id, *conditions)
        statement = select_newest(owned, columns.created_at, columns.id, before, limit + 1)
        with reading() as connection:
            rows = self.read(connection, statement)
        return cut_page(rows, limit, lambda row: (row.created_at, row.id))


@dataclass(frozen=True, slots=True)
class KeyedRows(OwnedRows[K]):
    """A table with the columns ``key`` and ``fingerprint``, too.

    A unique constraint on the owner and the key lets a key make one row.
    """

    def find_earlier(self, owner_id: UUID, key: str | None, fingerprint: str) -> K | None:
        """Return the row that a request with this key has made; None without one.

        Raises ``IdempotencyMismatch`` if that request had another body.
        """
        if key is None:
            return None
        columns = self.table.c
        with reading() as connection:
            statement = self.select(columns.owner_id == owner_id, columns.key == key)
            earlier = self.read_one(connection, statement)
        if earlier is not None and earlier.fingerprint != fingerprint:
            raise IdempotencyMismatch(f"The Idempotency-Key {key!r} was used with another body.")
        return earlier

    def create_once(
        self,
        owner_id: UUID,
        key: str | None,
        fingerprint: str,
        store: Callable[[sa.Connection], K],
    ) -> tuple[K, bool]:
        """Return what ``store`` makes in a transaction, or what the key has made meanwhile.

        The second value says whether it is new. Raises ``IdempotencyRace`` while the other request
        with the key has not ended.
        """
        try:
            with unit_of_work() as connection:
                return store(connection), True
        except IntegrityError as error:
            earlier = self.find_earlier(owner_id, key, fingerprint)
            if earlier is None:
                raise IdempotencyRace(
                    f"Another request with the Idempotency-Key {key!r} has not been answered yet.",
                    retry_after=1,
                ) from error
            return earlier, False
