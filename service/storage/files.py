"""The file store for data sets, arrays of chunks and losses: a folder that all processes share."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO
from urllib.parse import urlsplit
from urllib.request import url2pathname

from service.settings import settings

UPLOADS = "uploads"


def dataset_file_name(sha256: str) -> str:
    """Return the name of a data set's bytes; equal bytes are kept once."""
    return f"datasets/{sha256[:2]}/{sha256}"


class FileStore:
    """Named files under one folder; a file gets its name when its bytes are safely on disk.

    Parameters
    ----------
    root : Path
        The folder; made if it is not there.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / UPLOADS).mkdir(parents=True, exist_ok=True)

    @classmethod
    def open(cls, url: str = "") -> FileStore:
        """Return the store of a ``file://`` URL, or that of the settings."""
        url = url or settings().resolved_files_url
        parts = urlsplit(url)
        return cls(Path(url2pathname(parts.path)))

    @contextmanager
    def new_upload(self) -> Iterator[IO[bytes]]:
        """Open a temporary file in the store; it is deleted at the end unless it is kept.

        Its ``name`` is its path. ``keep`` gives it its final name.
        """
        with tempfile.NamedTemporaryFile(dir=self.root / UPLOADS, delete=False) as file:
            try:
                yield file
            finally:
                Path(file.name).unlink(missing_ok=True)

    def keep(self, temporary: IO[bytes], name: str) -> Path:
        """Flush a temporary file to the disk and give it its name, replacing what had it."""
        temporary.flush()
        os.fsync(temporary.fileno())
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        Path(temporary.name).replace(path)
        _flush_folder(path.parent)
        return path

    def path(self, name: str) -> Path:
        """Return the path of a name, which must be inside the folder."""
        parts = PurePosixPath(name).parts
        if not parts or PurePosixPath(name).is_absolute() or ".." in parts:
            raise ValueError(f"{name!r} is not a name in the file store")
        return self.root.joinpath(*parts)

    def write(self, name: str, content: bytes) -> Path:
        """Keep bytes under a name."""
        with self.new_upload() as file:
            file.write(content)
            return self.keep(file, name)

    def delete(self, name: str) -> None:
        """Remove a file; one that is not there is no error."""
        self.path(name).unlink(missing_ok=True)

    def delete_folder(self, name: str) -> None:
        """Remove all files whose names begin with ``name/``."""
        shutil.rmtree(self.path(name), ignore_errors=True)


def _flush_folder(folder: Path) -> None:
    """Flush a folder to disk, so that a rename survives a power cut."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
