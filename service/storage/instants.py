"""Moments in tables."""

from __future__ import annotations

from datetime import UTC, datetime

import sqlalchemy as sa


class Instant(sa.TypeDecorator[datetime]):
    """An aware moment in UTC on every database; SQLite alone would forget the zone."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Store in UTC; a naive moment is a mistake."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a moment needs its zone: {value!r}")
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Return an aware moment in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if dialect.name == "sqlite" else value.astimezone(UTC)
