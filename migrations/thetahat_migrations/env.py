"""How Alembic runs the migrations: on the connection it is given, inside one transaction.

Two releases that start together wait for each other: on PostgreSQL by an advisory lock, on SQLite
because a writing transaction takes the database's lock at once.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import context

ADVISORY_LOCK = 7_418_511_902_611
LOCK_TIMEOUT = "5s"  # rather give up than queue every request behind a migration
STATEMENT_TIMEOUT = "15min"


def run() -> None:
    """Run what is asked on ``config.attributes["connection"]``."""
    connection: sa.Connection = context.config.attributes["connection"]
    if connection.dialect.name == "postgresql":
        _prepare_postgresql(connection)
    context.configure(
        connection=connection,
        target_metadata=context.config.attributes.get("metadata"),
        compare_type=True,
        render_as_batch=connection.dialect.name == "sqlite",
    )
    with context.begin_transaction():
        context.run_migrations()


def _prepare_postgresql(connection: sa.Connection) -> None:
    connection.execute(sa.text(f"SET LOCAL statement_timeout = '{STATEMENT_TIMEOUT}'"))
    connection.execute(sa.text("SET LOCAL lock_timeout = 0"))
    connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({ADVISORY_LOCK})"))
    connection.execute(sa.text(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'"))


run()
