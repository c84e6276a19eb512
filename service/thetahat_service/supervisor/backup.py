"""Backing up an installation with SQLite while it runs, and restoring it elsewhere.

SQLite itself copies the database, so the copy is that of one moment. The files are copied before
it, and those that are new once more after it: every file that the database names was complete
before its row was written. A chunk that was written and discarded in between is computed again
after a restore.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import sqlalchemy as sa

from thetahat_service.settings import Settings
from thetahat_service.storage import durable_files, schema
from thetahat_service.storage.files import UPLOADS, LocalFileStore
from thetahat_service.storage.open_files import open_unmarked
from thetahat_service.supervisor.data_dir_lock import lock_data_dir
from thetahat_service.supervisor.errors import CannotStart

DATABASE: Final = "thetahat.sqlite3"
FILES: Final = "files"
PAGES: Final = 1000  # database pages that are copied between two chances for others to write
_NAMED_FILES: Final = (
    "SELECT 'datasets/' || substr(sha256, 1, 2) || '/' || sha256 FROM dataset "
    "UNION SELECT losses_file FROM evaluation_result WHERE losses_file IS NOT NULL "
    "UNION SELECT unit.output_file FROM unit JOIN evaluation ON evaluation.id = unit.evaluation_id "
    "WHERE unit.output_file IS NOT NULL AND evaluation.status IN ('queued', 'running')"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupReport:
    """The files and rows that a backup or a restoration has copied."""

    files: int
    """Number of files of the file store."""
    bytes: int
    """Their size."""
    missing: tuple[str, ...]
    """Files that the database names and that were deleted while the backup was made, or are
    lost."""


def back_up(settings: Settings, folder: Path) -> BackupReport:
    """Copy database and files to a new folder; the service may run meanwhile.

    Raises ``CannotStart`` if the folder exists, or if the database is not SQLite or the file store
    is not a folder.
    """
    database, files = _find_parts(settings)
    if not database.is_file():
        raise CannotStart(f"There is no database {database} to back up.")
    partial = folder.with_name(f"{folder.name}.partial")
    _require_new(folder)
    _require_new(partial)
    durable_files.make_folder(partial, durable_files.PRIVATE)
    before = _copy_files(files, partial / FILES)
    _copy_database(database, partial / DATABASE)
    after = _copy_files(files, partial / FILES)
    count, size = before[0] + after[0], before[1] + after[1]
    missing = _find_missing(partial / DATABASE, partial / FILES)
    partial.rename(folder)  # so a folder without ".partial" is a whole backup
    durable_files.flush_folder(folder.parent)
    return BackupReport(files=count, bytes=size, missing=missing)


def restore(settings: Settings, folder: Path) -> BackupReport:
    """Copy a backup to the data folder, which must not have a database or files yet.

    The tables are migrated to this release when the service is started.
    """
    if not (folder / DATABASE).is_file():
        raise CannotStart(f"{folder} is not a backup: it has no file {DATABASE}.")
    database, files = _find_parts(settings)
    with lock_data_dir(settings.data_dir.resolve()):
        _require_new(database)
        if files.is_dir() and any(files.iterdir()):
            raise CannotStart(f"The file store {files} is not empty. Restore to another folder.")
        durable_files.make_folder(database.parent, durable_files.PRIVATE)
        count, size = _copy_files(folder / FILES, files)
        partial = database.with_name(f"{database.name}.partial")
        partial.unlink(missing_ok=True)
        _copy_database(folder / DATABASE, partial)
        partial.rename(database)  # last, so that a database is there only with its files
        durable_files.flush_folder(database.parent)
    missing = _find_missing(database, files)
    return BackupReport(files=count, bytes=size, missing=missing)


def _find_parts(settings: Settings) -> tuple[Path, Path]:
    """Return the file of the database and the folder of the file store."""
    url = sa.make_url(settings.resolved_database_url)
    store = open_unmarked(settings.resolved_files_url)
    if url.get_backend_name() != "sqlite" or not url.database:
        raise CannotStart(
            "This command is for SQLite. Back up PostgreSQL with pg_dump; "
            "docs/running-on-a-cluster.md says how."
        )
    if not isinstance(store, LocalFileStore):
        raise CannotStart("This command is for a file store in a folder, not in a bucket.")
    return Path(url.database), store.root


def _require_new(path: Path) -> None:
    if path.exists():
        raise CannotStart(f"{path} exists already. Choose another folder, or move it away.")


def _copy_database(source: Path, target: Path) -> None:
    """Copy a consistent state of a database; other processes may write to it meanwhile."""
    target.touch(mode=0o600)
    with (
        closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)) as reader,
        closing(sqlite3.connect(target)) as writer,
    ):
        reader.execute("PRAGMA busy_timeout=10000")
        reader.execute("BEGIN")  # one moment for all pages, so that the copy never starts again
        reader.execute(f"SELECT count(*) FROM {schema.VERSION_TABLE}").fetchone()  # noqa: S608 - a constant
        reader.backup(writer, pages=PAGES)
        writer.execute("PRAGMA journal_mode=DELETE")  # one file, without a log beside it
    durable_files.flush_file(target)
    durable_files.flush_folder(target.parent)


def _copy_files(source: Path, target: Path) -> tuple[int, int]:
    """Copy the files that are missing in the target; return their number and size.

    A file of the store never changes once it has its name.
    """
    durable_files.make_folder(target, durable_files.PRIVATE)
    folders = {target}
    count = size = 0
    for path in _list_files(source):
        copy = target / path.relative_to(source)
        if copy.exists():
            continue
        durable_files.make_folder(copy.parent)
        folders.add(copy.parent)
        try:
            shutil.copy2(path, copy)
        except FileNotFoundError:  # deleted meanwhile
            copy.unlink(missing_ok=True)
            continue
        durable_files.flush_file(copy)
        count, size = count + 1, size + copy.stat().st_size
    for folder in folders:
        durable_files.flush_folder(folder)
    return count, size


def _list_files(root: Path) -> Iterator[Path]:
    for folder, names, files in os.walk(root):
        if Path(folder) == root and UPLOADS in names:
            names.remove(UPLOADS)  # files that are being received
        for name in files:
            yield Path(folder, name)


def _find_missing(database: Path, files: Path) -> tuple[str, ...]:
    """Return the names of files that the database needs and the folder lacks."""
    with closing(sqlite3.connect(database)) as connection:
        names = sorted(name for (name,) in connection.execute(_NAMED_FILES))
    return tuple(name for name in names if not (files / name).is_file())
