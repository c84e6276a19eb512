"""Migrating the database tables to this release, and checking whether they are migrated.

Alembic is slow to load, so it is loaded only where there is something to migrate.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

import sqlalchemy as sa

from thetahat_service.storage.engine import get_engines
from thetahat_service.storage.time_limits import answer_within

if TYPE_CHECKING:
    from alembic.config import Config

VERSION_TABLE = "alembic_version"
LONGEST_MIGRATION_S = 24 * 3600.0
REVISION_LENGTH = len("2026_11_21_01")


def build_configuration() -> Config:
    """Return Alembic's configuration; the migrations lie in the installed package."""
    from alembic.config import Config  # noqa: PLC0415 - see above

    config = Config()
    config.set_main_option("script_location", str(files("thetahat_migrations")))
    return config


def upgrade(revision: str = "head") -> None:
    """Run the migrations that are missing, inside one transaction."""
    if revision == "head" and is_current():
        return
    from alembic import command  # noqa: PLC0415 - see above

    config = build_configuration()
    with answer_within(LONGEST_MIGRATION_S), get_engines().writing.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


def downgrade(revision: str) -> None:
    """Undo migrations down to a revision."""
    from alembic import command  # noqa: PLC0415 - see above

    config = build_configuration()
    with answer_within(LONGEST_MIGRATION_S), get_engines().writing.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, revision)


@lru_cache(maxsize=1)
def find_newest_revision() -> str:
    """Return the newest revision of this release: its files' names begin with their revisions."""
    names = (entry.name for entry in files("thetahat_migrations").joinpath("versions").iterdir())
    return max(name[:REVISION_LENGTH] for name in names if name.endswith(".py"))


def read_revision() -> str | None:
    """Return the database's revision; None for an empty database."""
    with get_engines().reading.connect() as connection:
        if not sa.inspect(connection).has_table(VERSION_TABLE):
            return None
        version = sa.table(VERSION_TABLE, sa.column("version_num", sa.String()))
        return connection.execute(sa.select(version.c.version_num)).scalar_one_or_none()


def is_current() -> bool:
    """Return whether the database tables are those of this release."""
    return read_revision() == find_newest_revision()
