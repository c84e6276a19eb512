"""The file store for data sets, arrays of chunks and losses, which all processes share.

``THETAHAT_FILES_URL`` says which it is: a folder (``file:``), or a bucket of an object store
(``s3:``). A file gets its name when all of its bytes are stored, and readers get a local path of a
file that matches its checksum.
"""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import shutil
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Final
from uuid import UUID

from thetahat_service.errors import DamagedFile, Unavailable
from thetahat_service.storage import durable_files
from thetahat_service.storage.checksums import MAX_REMEMBERED, add_digest, verify

log = logging.getLogger(__name__)

UPLOADS: Final = "uploads"
MARK: Final = "thetahat-store-id"
"""Name of the file with the id of the store; a folder without this file is not the store."""
LEAST_FREE_BYTES: Final = 64 * 1024 * 1024
"""Free space below which a store is not ready for uploads."""
STORE_ERRNOS: Final = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.ESTALE, errno.EFBIG, errno.ENOENT}
    | {errno.EACCES, errno.EPERM, errno.ETIMEDOUT, errno.ENODEV, errno.ENOTCONN, errno.EMFILE}
)
"""Errors of the operating system if the store is unreachable, full or read-only."""


_FLUSHED: Final[set[Path]] = set()
"""Folders whose names this process has flushed to the disk."""


def build_dataset_file_name(sha256: str) -> str:
    """Return the name of a data set's bytes; equal bytes are kept once."""
    return f"datasets/{sha256[:2]}/{sha256}"


def build_chunk_folder(evaluation_id: UUID) -> str:
    """Return the folder of the arrays of an evaluation's chunks, in the file store."""
    return f"chunks/{evaluation_id}"


def is_cut_off(mark: str, identifier: str) -> bool:
    """Return whether a mark is the beginning of an id, as a full disk or a power cut leaves it."""
    return len(mark) < len(identifier) and identifier.startswith(mark)


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file of the store."""

    name: str
    """Its name."""
    modified_at: float
    """When it was written, in epoch seconds by the clock of the store."""


class FileStore(ABC):
    """Named files; all operations raise ``Unavailable`` while the store cannot be reached.

    Parameters
    ----------
    root : Path
        The local folder of the files, or of copies of them.
    read_id : callable or None
        Returns the id that the store must have; None for a store that is not checked, and whose
        folder is made when it is needed.
    """

    def __init__(self, root: Path, read_id: Callable[[FileStore], UUID] | None = None) -> None:
        self.root = root
        self._read_id = read_id

    def check(self) -> None:
        """Raise ``Unavailable`` unless the store is there and is the one of this database."""
        if self._read_id is None:
            return
        identifier = self._read_id(self)
        expected, mark = str(identifier), self.read_mark()
        if mark == expected:
            return
        if mark is not None and is_cut_off(mark, expected):
            self.write_mark(identifier)
            log.warning("store.mark_repaired", extra={"store_id": expected})
            return
        state = "has no mark" if mark is None else f"has the mark of another store, {mark[:40]!r}"
        raise Unavailable(
            f"The file store {state}, so it may not be mounted. Its file {MARK!r} must contain "
            f"{expected}."
        )

    def _make_folder(self, folder: Path) -> None:
        """Make a folder below the root, and the root."""
        durable_files.make_folder(folder)

    @contextmanager
    def open_upload(self) -> Iterator[IO[bytes]]:
        """Open a temporary local file; it is deleted at the end unless it is kept.

        Its ``name`` is its path. ``keep`` gives it its final name. A full or lost disk is
        ``Unavailable`` also when the caller writes to the file.
        """
        with translate_file_errors("The file cannot be stored"):
            self.check()
            folder = self.root / UPLOADS
            self._make_folder(folder)
            file = tempfile.NamedTemporaryFile(dir=folder, delete=False)  # noqa: SIM115
            fcntl.flock(
                file.fileno(), fcntl.LOCK_EX
            )  # the removal of left files skips locked files
            try:
                yield file
            finally:
                with suppress(OSError):  # a full disk, of which the writer has got the error
                    file.close()
                Path(file.name).unlink(missing_ok=True)

    def build_path(self, name: str) -> Path:
        """Return the local path of a name, which must be inside the folder."""
        parts = PurePosixPath(name).parts
        if not parts or PurePosixPath(name).is_absolute() or ".." in parts:
            raise ValueError(f"{name!r} is not the name of a file in the file store.")
        return self.root.joinpath(*parts)

    def find_name(self, path: Path) -> str | None:
        """Return the name of a local path; None for a file outside of the store."""
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else None

    def keep_with_digest(self, temporary: IO[bytes], name: str) -> str:
        """Keep a temporary file under a name with its digest, and return that name."""
        with translate_file_errors("The file cannot be stored"):
            temporary.flush()
            name = add_digest(name, temporary)
        self.keep(temporary, name)
        return name

    def write(self, name: str, content: bytes) -> None:
        """Keep bytes under a name."""
        with self.open_upload() as file:
            file.write(content)
            self.keep(file, name)

    def stage(self, temporary: IO[bytes], name: str) -> None:
        """Do the slow part of ``keep`` in advance, so that its transaction is short."""
        del name
        with translate_file_errors("The file cannot be stored"):
            temporary.flush()
            os.fsync(temporary.fileno())

    @abstractmethod
    def read_mark(self) -> str | None:
        """Return the id that is written in the store; None if there is none."""

    @abstractmethod
    def write_mark(self, identifier: UUID) -> None:
        """Make the store if needed, and write its id into it."""

    @abstractmethod
    def check_space(self) -> None:
        """Raise ``Unavailable`` if nothing can be written to the store."""

    @abstractmethod
    def keep(self, temporary: IO[bytes], name: str) -> None:
        """Store a temporary file durably under a name; an older file of that name is replaced."""

    @abstractmethod
    def fetch(self, name: str) -> Path:
        """Return a local path of a file that matches its checksum.

        Raises ``DamagedFile`` if the file is missing or damaged, while the store itself is there.
        """

    @abstractmethod
    def list_files(self, prefix: str) -> Iterator[FileEntry]:
        """Yield the files whose names begin with ``prefix/``."""

    @abstractmethod
    def delete(self, name: str) -> None:
        """Remove a file, if it exists."""

    @abstractmethod
    def delete_folder(self, name: str) -> None:
        """Remove all files whose names begin with ``name/``."""


class LocalFileStore(FileStore):
    """Files of one folder, which may be a network file system."""

    def _make_folder(self, folder: Path) -> None:
        """Make a folder below the root; a marked root that has disappeared is not made again.

        A folder that exists may have been made just now by another process, which has not flushed
        it yet; so each process flushes a folder when it first uses it.
        """
        if self._read_id is None:
            durable_files.make_folder(self.root)
        current_folder = self.root
        for part in folder.relative_to(current_folder).parts:
            parent, current_folder = current_folder, current_folder / part
            if current_folder in _FLUSHED and current_folder.is_dir():
                continue
            current_folder.mkdir(exist_ok=True)
            durable_files.flush_folder(parent)
            if len(_FLUSHED) >= MAX_REMEMBERED:
                _FLUSHED.clear()
            _FLUSHED.add(current_folder)

    def read_mark(self) -> str | None:
        """Return the id in the folder's file ``MARK``."""
        try:
            return (self.root / MARK).read_text("utf-8", "replace").strip("\0\r\n ")
        except FileNotFoundError:
            return None

    def write_mark(self, identifier: UUID) -> None:
        """Make the folder and write its mark."""
        with translate_file_errors("The file store cannot be made"):
            durable_files.make_folder(self.root)
            durable_files.write_file(self.root / MARK, f"{identifier}\n".encode())

    def check_space(self) -> None:
        """Write a small file, and look at the free space."""
        with self.open_upload() as file:
            file.write(b"x")
            file.flush()
        with translate_file_errors("The file store cannot be read"):
            free = shutil.disk_usage(self.root).free
        if free < LEAST_FREE_BYTES:
            raise Unavailable(f"The disk of the file store has only {free} free bytes.")

    def keep(self, temporary: IO[bytes], name: str) -> None:
        """Flush a temporary file to the disk and give it its name."""
        path = self.build_path(name)
        with translate_file_errors("The file cannot be stored"):
            self.check()
            temporary.flush()
            os.fsync(temporary.fileno())
            self._make_folder(path.parent)
            Path(temporary.name).replace(path)
            durable_files.flush_folder(path.parent)

    def fetch(self, name: str) -> Path:
        """Return the path of a file, after its checksum was verified."""
        path = self.build_path(name)
        with translate_file_errors("The file cannot be read"):
            try:
                verify(path, name)
            except FileNotFoundError:
                self.check()
                raise DamagedFile(f"The stored file {name} is missing.", name=name) from None
        return path

    def list_files(self, prefix: str) -> Iterator[FileEntry]:
        """Yield the files below a folder."""
        for folder, _, names in os.walk(self.build_path(prefix)):
            for name in names:
                path = Path(folder, name)
                with suppress(FileNotFoundError):  # deleted meanwhile
                    modified_at = path.stat().st_mtime
                    yield FileEntry(path.relative_to(self.root).as_posix(), modified_at)

    def delete(self, name: str) -> None:
        """Remove a file."""
        with translate_file_errors("The file cannot be deleted"):
            self.build_path(name).unlink(missing_ok=True)

    def delete_folder(self, name: str) -> None:
        """Remove a folder."""
        shutil.rmtree(self.build_path(name), ignore_errors=True)


@contextmanager
def translate_file_errors(action: str) -> Iterator[None]:
    """Raise ``Unavailable`` in place of errors that mean that the store is unreachable or full."""
    try:
        yield
    except OSError as error:
        if error.errno not in STORE_ERRNOS:
            raise
        raise Unavailable.from_os_error(action, error) from error
