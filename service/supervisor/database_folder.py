"""The folder of an SQLite database must be there before a process uses it."""

from __future__ import annotations

import os
from pathlib import Path

import sqlalchemy as sa

from service.settings import Settings
from service.supervisor.errors import CannotStart


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
