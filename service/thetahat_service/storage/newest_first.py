"""Pages of a list whose newest rows come first; each begins behind the end of the one before."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeAlias, TypeVar
from uuid import UUID

import sqlalchemy as sa

Position: TypeAlias = tuple[datetime, UUID]
"""Time and id of the last item of a page."""

R = TypeVar("R")


def select_newest(
    statement: sa.Select[Any],
    time: sa.Column[datetime],
    identifier: sa.Column[UUID],
    before: Position | None,
    limit: int,
) -> sa.Select[Any]:
    """Return a query with its newest rows, at most ``limit``, behind ``before`` if it is given."""
    statement = statement.order_by(time.desc(), identifier.desc()).limit(limit)
    if before is None:
        return statement
    return statement.where(sa.tuple_(time, identifier) < sa.tuple_(*map(sa.literal, before)))


def cut_page(
    rows: list[R], limit: int, locate: Callable[[R], Position]
) -> tuple[list[R], Position | None]:
    """Return a page, and the position of its end if there is another one.

    ``rows`` are those of the page, and one more if there is one; ``locate`` returns the position of
    a row.
    """
    return rows[:limit], locate(rows[limit - 1]) if len(rows) > limit else None
