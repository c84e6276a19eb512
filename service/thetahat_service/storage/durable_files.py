"""Folders and small files that survive a power cut.

A file has its content after a power cut only if it was flushed, and its name only if its folder was
flushed after that. A folder is an entry of the folder above it, so that one is flushed, too.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

PRIVATE: Final = 0o700
SHARED: Final = 0o777  # less what the process's mask takes away


def make_folder(folder: Path, mode: int = SHARED) -> None:
    """Make a folder and those above it; a folder that exists stays as it is."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(exist_ok=True, mode=mode if path == folder else SHARED)
        flush_folder(path.parent)


def flush_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system without anything to flush
            raise
    finally:
        os.close(descriptor)


def flush_file(path: Path) -> None:
    """Flush the content of a file to the disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def write_file(path: Path, content: bytes) -> None:
    """Write a small file; after a fault or a power cut it has its old content or all of the new."""
    with NamedTemporaryFile(dir=path.parent, prefix=f"{path.name}-", delete=False) as file:
        temporary = Path(file.name)
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    flush_folder(path.parent)
