"""Checking the stored file of a data set before it is read, and repairing its converted table.

A file outside of the file store is not checked.
"""

from __future__ import annotations

import logging
from pathlib import Path

from thetahat_service.data.base import Format, read_file_limits
from thetahat_service.errors import DamagedFile, Unavailable
from thetahat_service.settings import get_settings
from thetahat_service.storage.checksums import append_digest
from thetahat_service.storage.files import FileStore
from thetahat_service.storage.open_files import open_file_store

log = logging.getLogger(__name__)


def prepare_dataset(path: Path, form: Format) -> None:
    """Make sure that the file that a format reads is present and undamaged.

    Parameters
    ----------
    path : Path
        Local path of the original file, from ``FileStore.path``.
    form : Format
        A format with a converted table reads the table, not the original. A missing or damaged
        table is made again from the original.

    Raises
    ------
    DamagedFile
        The original is missing or damaged; uploading it again repairs it.
    Unavailable
        The file store cannot be reached.
    """
    store = open_file_store()
    name = store.find_name(path)
    if name is None:
        if not path.is_file():
            raise Unavailable("The file of the data set is not in the file store.")
        return
    if not form.table_suffix:
        _fetch_original(store, name)
        return
    table_name = name + form.table_suffix
    try:
        store.fetch(table_name)
    except DamagedFile as damage:
        log.warning("table.made_again", extra={"file": table_name, "reason": str(damage)})
        _make_table(store, name, form)
        store.fetch(table_name)


def _make_table(store: FileStore, name: str, form: Format) -> None:
    original = _fetch_original(store, name)
    with store.open_upload() as table:
        form.inspect(original, read_file_limits(get_settings()), table)
        append_digest(table)
        store.keep(table, name + form.table_suffix)


def _fetch_original(store: FileStore, name: str) -> Path:
    try:
        return store.fetch(name)
    except DamagedFile as damage:
        damage.message += " Upload the data set again."
        raise


def is_intact(path: Path, form: Format) -> bool:
    """Return whether the stored file of a data set is undamaged; its table is repaired."""
    store = open_file_store()
    name = store.find_name(path)
    try:
        if name is not None:
            store.fetch(name)
        prepare_dataset(path, form)
    except DamagedFile:
        return False
    return True
