"""Rows of an owner that are made once for an Idempotency-Key: series and protocols.

Their tables have the columns ``id``, ``owner_id``, ``created_at``, ``key`` and ``fingerprint``, and
a unique constraint on the owner and the key.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Protocol, TypeVar
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from thetahat_service.errors import (
    IdempotencyMismatch,
    IdempotencyRace,
    QuotaExceeded,
    ResourceNotFound,
)
from thetahat_service.storage.unit_of_work import reading, unit_of_work

Position = tuple[datetime, UUID]
"""Creation time and id of the last item of a page."""


class OwnedRow(Protocol):
    """What these rows have in common."""

    @property
    def id(self) -> UUID:
        """Its id."""

    @property
    def fingerprint(self) -> str:
        """The digest of the body that made it."""

    @property
    def created_at(self) -> datetime:
        """The time of its creation."""


R = TypeVar("R", bound=OwnedRow)


@dataclass(frozen=True, slots=True)
class OwnedRows(Generic[R]):
    """A table of such rows.

    Parameters
    ----------
    table : Table
        The table.
    row : type
        The dataclass whose fields are its columns.
    noun, nouns : str
        What a row is called, and several.
    """

    table: sa.Table
    row: type[R]
    noun: str
    nouns: str

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(self.row.__dataclass_fields__)  # type: ignore[attr-defined]

    def _select(self, *conditions: sa.ColumnElement[bool]) -> sa.Select[tuple[object, ...]]:
        return sa.select(*(self.table.c[name] for name in self._names)).where(*conditions)

    def _find(
        self, connection: sa.Connection, statement: sa.Select[tuple[object, ...]]
    ) -> R | None:
        found = connection.execute(statement).mappings().one_or_none()
        return None if found is None else self.row(**found)

    def _is(self, owner_id: UUID, identifier: UUID) -> sa.ColumnElement[bool]:
        return sa.and_(self.table.c.id == identifier, self.table.c.owner_id == owner_id)

    def insert(self, connection: sa.Connection, row: R) -> None:
        """Store a new row; a second key of the owner violates a constraint."""
        values = {name: getattr(row, name) for name in self._names}
        connection.execute(sa.insert(self.table), values)

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
        return self._find(connection, self._select(self._is(owner_id, identifier)))

    def get(self, connection: sa.Connection, owner_id: UUID, identifier: UUID) -> R:
        """Return an owner's row; ``ResourceNotFound`` if there is none of that id."""
        return self._require(self.find(connection, owner_id, identifier), identifier)

    def lock(self, connection: sa.Connection, owner_id: UUID, identifier: UUID) -> R:
        """Return an owner's row as ``get`` does, locked until the transaction ends."""
        statement = self._select(self._is(owner_id, identifier)).with_for_update()
        return self._require(self._find(connection, statement), identifier)

    def _require(self, row: R | None, identifier: UUID) -> R:
        if row is None:
            raise ResourceNotFound(f"There is no {self.noun} {identifier}.")
        return row

    def list_page(
        self,
        owner_id: UUID,
        before: Position | None,
        limit: int,
        *conditions: sa.ColumnElement[bool],
    ) -> tuple[list[R], Position | None]:
        """Return one page of an owner's rows, newest first, and the position of its end."""
        created_at, identifier = self.table.c.created_at, self.table.c.id
        statement = (
            self._select(self.table.c.owner_id == owner_id, *conditions)
            .order_by(created_at.desc(), identifier.desc())
            .limit(limit + 1)
        )
        if before is not None:
            statement = statement.where(
                sa.tuple_(created_at, identifier) < sa.tuple_(*map(sa.literal, before))
            )
        with reading() as connection:
            rows = [self.row(**row) for row in connection.execute(statement).mappings()]
        end = (rows[limit - 1].created_at, rows[limit - 1].id) if len(rows) > limit else None
        return rows[:limit], end

    def find_earlier(self, owner_id: UUID, key: str | None, fingerprint: str) -> R | None:
        """Return the row that a request with this key has made; None without one.

        Raises ``IdempotencyMismatch`` if that request had another body.
        """
        if key is None:
            return None
        columns = self.table.c
        with reading() as connection:
            statement = self._select(columns.owner_id == owner_id, columns.key == key)
            earlier = self._find(connection, statement)
        if earlier is not None and earlier.fingerprint != fingerprint:
            raise IdempotencyMismatch(f"The Idempotency-Key {key!r} was used with another body.")
        return earlier

    def create_once(
        self,
        owner_id: UUID,
        key: str | None,
        fingerprint: str,
        store: Callable[[sa.Connection], R],
    ) -> tuple[R, bool]:
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
