"""The database must be there before a process begins to use it."""

from __future__ import annotations

import os
from pathlib import Path

import sqlalchemy as sa

from thetahat_service.settings import Settings, is_sqlite
from thetahat_service.supervisor.errors import CannotStart


def require_database(settings: Settings) -> None:
    """Raise ``CannotStart``, or the database's own error, if the database cannot be reached.

    Without this a process would start, and say only in its log that it can do nothing.
    """
    require_database_folder(settings)
    if not is_sqlite():
        from thetahat_service.storage.unit_of_work import reading  # noqa: PLC0415 - after the settings

        with reading() as connection:
            connection.execute(sa.text("SELECT 1"))


def require_database_folder(settings: Settings) -> None:
    """Raise ``CannotStart`` if SQLite cannot write to the folder of its file."""
    url = sa.make_url(settings.resolved_database_url)
    if url.get_backend_name() != "sqlite" or not url.database:
        return
    folder = Path(url.database).parent
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        raise CannotStart(
            f"The folder of the database, {folder}, does not exist or cannot be written to. "
            "Run `thetahat migrate`, or choose another folder with THETAHAT_DATA_DIR."
        )
