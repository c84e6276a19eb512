"""Bringing the database's tables to this release, and asking whether they are."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from service.storage.engine import engines


def configuration() -> Config:
    """Return Alembic's configuration; the migrations lie in the installed package."""
    config = Config()
    config.set_main_option("script_location", str(files("migrations")))
    return config


def upgrade(revision: str = "head") -> None:
    """Run the migrations that are missing, inside one transaction."""
    config = configuration()
    with engines().writing.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


def downgrade(revision: str) -> None:
    """Undo migrations down to a revision."""
    config = configuration()
    with engines().writing.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, revision)


@lru_cache(maxsize=1)
def head() -> str | None:
    """Return the newest revision of this release."""
    return ScriptDirectory.from_config(configuration()).get_current_head()


def current() -> str | None:
    """Return the database's revision; None for an empty database."""
    with engines().reading.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def is_current() -> bool:
    """Tell whether the database's tables are those of this release."""
    return current() == head()
