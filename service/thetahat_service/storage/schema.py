"""Migrating the database tables to this release, and checking whether they are migrated.

Alembic is slow to load, so it is loaded only where there is something to migrate.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

import sqlalchemy as sa

from thetahat_service.errors import OtherTables
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
    """Run the migrations that are missing, inside one transaction.

    Raises ``OtherTables`` if a newer release has made the tables.
    """
    before = read_revision()
    if revision == "head" and before == find_newest_revision():
        return
    _refuse_newer(before)
    from alembic import command  # noqa: PLC0415 - see above

    config = build_configuration()
    with answer_within(LONGEST_MIGRATION_S), get_engines().writing.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


def downgrade(revision: str) -> None:
    """Undo migrations down to a revision."""
    from alembic import command  # noqa: PLC0415 - see above

    _refuse_newer(read_revision())
    config = build_configuration()
    with answer_within(LONGEST_MIGRATION_S), get_engines().writing.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, revision)


@lru_cache(maxsize=1)
def _list_revisions() -> frozenset[str]:
    """Return the revisions that this release knows: the beginnings of the files' names."""
    names = (entry.name for entry in files("thetahat_migrations").joinpath("versions").iterdir())
    return frozenset(name[:REVISION_LENGTH] for name in names if name.endswith(".py"))


def find_newest_revision() -> str:
    """Return the newest revision of this release."""
    return max(_list_revisions())


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


def require_current() -> None:
    """Raise ``OtherTables`` unless the database tables are those of this release."""
    revision, newest = read_revision(), find_newest_revision()
    if revision is None:
        raise OtherTables(
            "The database has no tables yet. `thetahat serve` and `thetahat migrate` make them."
        )
    _refuse_newer(revision)
    if revision != newest:
        raise OtherTables(
            f"The database tables are those of an older release (revision {revision}; this "
            f"release needs {newest}). Make a backup, and run `thetahat migrate` first."
        )


def refuse_newer_tables() -> None:
    """Raise ``OtherTables`` if a newer release has made the database tables."""
    _refuse_newer(read_revision())


def upgrade_if_empty() -> None:
    """Make the tables in an empty database; ``OtherTables`` for those of another release."""
    if read_revision() is None:
        upgrade()
    require_current()


def _refuse_newer(revision: str | None) -> None:
    if revision is not None and revision not in _list_revisions():
        raise OtherTables(
            f"The database tables are those of a newer release (revision {revision}; the newest "
            f"that this release knows is {find_newest_revision()}). Install that release, or "
            "restore a backup that this one has made."
        )
