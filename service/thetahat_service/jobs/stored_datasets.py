"""Data sets in the file store: their files are checked before they are read, and repaired.

A file outside of the file store is not checked.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from thetahat_service.data.base import Format, read_file_limits
from thetahat_service.data.formats import find_format
from thetahat_service.data.reading import require_file
from thetahat_service.data.tables import build_table_path, describe_table
from thetahat_service.errors import DamagedFile
from thetahat_service.json_types import ColumnDescription
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.settings import get_settings
from thetahat_service.storage.checksums import append_digest
from thetahat_service.storage.datasets import DatasetRow
from thetahat_service.storage.files import FileStore, build_dataset_file_name
from thetahat_service.storage.open_files import open_file_store

log = logging.getLogger(__name__)

LISTED: Final = 5
"""Columns that a refusal lists."""


@dataclass(frozen=True, slots=True)
class StoredDataset(DatasetFile):
    """A data set whose file is in the file store."""

    def locate(self) -> Path:
        """Return the path of the file, which is present and undamaged; else ``Unavailable``.

        The converted table of a file is made again if it is lost, damaged or of an earlier release.
        If the file is read in another way now, it has to be uploaded again.
        """
        if self.path is None:
            return require_file(None)
        form = find_format(self.media_type)
        _prepare_dataset(self.path, form)
        if form.table_suffix:
            self._compare(build_table_path(self.path, form.table_suffix))
        return self.path

    def _compare(self, table: Path) -> None:
        """Raise ``DamagedFile`` if the table has other rows or columns than the upload found."""
        rows, columns = _describe(table, table.stat().st_mtime_ns)
        if rows == self.rows and columns == tuple(self.columns):
            return
        different = [new["name"] for new in columns if new not in self.columns][:LISTED]
        about = f" Columns {', '.join(map(repr, different))} differ." if different else ""
        raise DamagedFile(
            f"Data set {self.id} was uploaded to an earlier release, which read its file in "
            f"another way: {self.rows} rows and {len(self.columns)} columns, and now {rows} and "
            f"{len(columns)}.{about} Upload the data set again."
        )


def build_dataset_file(row: DatasetRow, files: FileStore) -> StoredDataset:
    """Return a data set with the path of its bytes."""
    return StoredDataset(
        id=row.id,
        sha256=row.sha256,
        media_type=row.media_type,
        rows=row.rows,
        columns=row.columns,
        details=row.details,
        path=files.build_path(build_dataset_file_name(row.sha256)),
    )


@lru_cache(maxsize=16)
def _describe(table: Path, changed: int) -> tuple[int, tuple[ColumnDescription, ...]]:
    """Return the rows and columns of a table that was written at a time in nanoseconds."""
    del changed  # tells two tables of one name apart
    return describe_table(table)


def _prepare_dataset(path: Path, form: Format) -> None:
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
        require_file(path)
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


def is_intact(file: StoredDataset) -> bool:
    """Return whether a file is undamaged and read as its upload was; its table is repaired."""
    store = open_file_store()
    name = None if file.path is None else store.find_name(file.path)
    try:
        if name is not None:
            store.fetch(name)
        file.locate()
    except DamagedFile:
        return False
    return True
