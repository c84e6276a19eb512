"""Opening the file store that the settings or a URL name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname
from uuid import UUID

from thetahat_service.settings import get_settings
from thetahat_service.storage.files import FileStore, LocalFileStore
from thetahat_service.storage.store_mark import read_store_id


def open_file_store(url: str = "") -> FileStore:
    """Return the store of a URL, or that of the settings; nothing is read or made yet.

    Only the store of the settings is checked for the id that is in the database.
    """
    if url and url != get_settings().resolved_files_url:
        return open_unmarked(url)
    return open_unmarked(get_settings().resolved_files_url, read_store_id)


def open_unmarked(url: str, read_id: Callable[[FileStore], UUID] | None = None) -> FileStore:
    """Return the store of a URL; ``read_id`` returns the id that it must have."""
    parts = urlsplit(url)
    if parts.scheme == "s3":
        from thetahat_service.storage.object_store import open_bucket  # noqa: PLC0415 - an optional package

        return open_bucket(url, read_id)
    return LocalFileStore(Path(url2pathname(parts.path)), read_id)
