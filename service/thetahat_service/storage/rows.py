"""The rows of a table as values of a dataclass, whose fields are the columns that are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import sqlalchemy as sa

R = TypeVar("R")


def select_distinct(column: sa.Column[Any], *conditions: sa.ColumnElement[bool]) -> sa.CTE:
    """Return the query of the different values of a column, with a NULL at their end.

    Each costs one lookup in the index, however many rows have it: the next one is the first above
    the last.
    """
    first = sa.select(column).where(*conditions).order_by(column).limit(1)
    found = sa.select(first.scalar_subquery().label(column.name))
    found_values = found.cte(f"each_{column.name}", recursive=True)
    last = found_values.c[column.name]
    following = first.where(column > last).scalar_subquery()
    return found_values.union_all(sa.select(following).where(last.is_not(None)))


@dataclass(frozen=True, slots=True)
class StoredRows(Generic[R]):
    """A table and the dataclass of its rows."""

    table: sa.Table
    row: type[R]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self.row.__dataclass_fields__)  # type: ignore[attr-defined]

    @property
    def columns(self) -> tuple[sa.Column[Any], ...]:
        """The columns of the table, in the order of the fields."""
        return tuple(self.table.c[name] for name in self.names)

    def select(self, *conditions: sa.ColumnElement[bool]) -> sa.Select[Any]:
        """Return the query of the rows that meet conditions."""
        return sa.select(*self.columns).where(*conditions)

    def read(self, connection: sa.Connection, statement: sa.Executable) -> list[R]:
        """Return the rows of a query, or those that a statement returns."""
        return [self.row(**found) for found in connection.execute(statement).mappings()]

    def read_one(self, connection: sa.Connection, statement: sa.Executable) -> R | None:
        """Return the only row of a query; None if there is none."""
        found = connection.execute(statement).mappings().one_or_none()
        return None if found is None else self.row(**found)

    def insert(self, connection: sa.Connection, row: R, **more: object) -> None:
        """Store a new row, with the values of columns that are not read."""
        values = {name: getattr(row, name) for name in self.names}
        connection.execute(sa.insert(self.table), {**values, **more})
