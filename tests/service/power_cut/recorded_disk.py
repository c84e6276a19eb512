"""A record of what reaches the disk below a folder, and the folder as a power cut would leave it.

Only what was flushed survives: a file has the content that it had at its last ``fsync``, and a
folder the names that it had at its own. The record has each ``fsync`` of Python and each of
SQLite, whose calls are seen by a layer over its own file functions, so the folder can be built
again as of any moment.
"""

from __future__ import annotations

import _sqlite3
import ctypes
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

PIECE: Final = 64 * 1024
SQLITE_OK: Final = 0
OPEN_CREATE: Final = 0x4
OPEN_DATABASE: Final = 0x100
OPEN_LOG: Final = 0x800 | 0x4000 | 0x80000
"""A journal, that of several databases, or a write-ahead log: SQLite flushes their folder, too."""
SYNC_AT: Final = 4
"""Place of the flush among SQLite's functions for a file."""

_POINTER: Final = ctypes.c_void_p
_OPEN: Final = ctypes.CFUNCTYPE(
    ctypes.c_int, _POINTER, _POINTER, _POINTER, ctypes.c_int, _POINTER
)  # the name as an address, because SQLite's own functions keep the memory that they are given
_DELETE: Final = ctypes.CFUNCTYPE(ctypes.c_int, _POINTER, ctypes.c_char_p, ctypes.c_int)
_SYNC: Final = ctypes.CFUNCTYPE(ctypes.c_int, _POINTER, ctypes.c_int)

_POINTED_TO: Final[list[object]] = []
"""What SQLite's memory points to."""


class _FileSystem(ctypes.Structure):
    """SQLite's ``sqlite3_vfs``: the functions of a file system."""

    _fields_ = (
        ("version", ctypes.c_int),
        ("file_size", ctypes.c_int),
        ("longest_path", ctypes.c_int),
        ("next", _POINTER),
        ("name", ctypes.c_char_p),
        ("data", _POINTER),
        ("open", _POINTER),
        ("delete", _POINTER),
        ("others", _POINTER * 14),
    )


class _FileFunctions(ctypes.Structure):
    """SQLite's ``sqlite3_io_methods``: the functions of an open file."""

    _fields_ = (("version", ctypes.c_int), ("functions", _POINTER * 18))


class Recorder:
    """Writes down what is flushed below a folder, by this process and those that it forks.

    Parameters
    ----------
    root : Path
        The folder.
    record : Path
        The record, a folder of the same file system outside of ``root``; several processes may
        write to it.
    """

    def __init__(self, root: Path, record: Path) -> None:
        self._root = root.resolve()
        self._record = record
        (record / "pieces").mkdir(parents=True, exist_ok=True)
        (record / "inodes").mkdir(exist_ok=True)
        self._fsync = os.fsync
        self._leave: Callable[[], object] = lambda: None
        self._functions: dict[int, tuple[int, Any]] = {}
        self._open_files: dict[int, tuple[Path, bool, Any]] = {}

    def fsync(self, fd: Any) -> None:
        """Take the place of ``os.fsync``."""
        path = Path(f"/proc/self/fd/{fd}").readlink()
        entry = self._describe(path, os.fstat(fd).st_ino)
        self._fsync(fd)
        self._write(entry)

    def record_all(self) -> None:
        """Record everything below the folder as flushed, as it is after a power cut."""
        for folder, _, files in os.walk(self._root):
            for name in files:
                path = Path(folder, name)
                self._write(self._describe(path, path.stat().st_ino))
            self._write(self._describe(Path(folder), 0))

    def record_sqlite(self) -> None:
        """Have SQLite open files of this process through a layer that records their flushes."""
        library = ctypes.CDLL(getattr(_sqlite3, "__file__", None))
        library.sqlite3_vfs_find.restype = ctypes.POINTER(_FileSystem)
        original = library.sqlite3_vfs_find(None)
        layer = _FileSystem.from_buffer_copy(original.contents)
        open_file = ctypes.cast(original.contents.open, _OPEN)
        delete_file = ctypes.cast(original.contents.delete, _DELETE)
        address = ctypes.addressof(original.contents)

        def open_recorded(_: int, name: int | None, file: int, flags: int, out: int) -> int:
            status: int = open_file(address, name, file, flags, out)
            path = Path(os.fsdecode(ctypes.string_at(name))) if name else None
            is_recorded = bool(flags & (OPEN_DATABASE | OPEN_LOG))
            if status == SQLITE_OK and path is not None and is_recorded and self._is_below(path):
                is_new_log = bool(flags & OPEN_LOG and flags & OPEN_CREATE)
                self._take_over(file, path, flushes_folder=is_new_log)
            return status

        def delete_recorded(_: int, name: bytes, flush: int) -> int:
            status: int = delete_file(address, name, flush)
            folder = Path(os.fsdecode(name)).parent
            if flush and self._is_below(folder):
                self._write(self._describe(folder, 0))
            return status

        functions = (_OPEN(open_recorded), _DELETE(delete_recorded))
        layer.open, layer.delete = (ctypes.cast(function, _POINTER) for function in functions)
        layer.name = b"recorded"
        _POINTED_TO.extend((layer, functions))
        self._leave = lambda: library.sqlite3_vfs_register(original, 1)
        assert library.sqlite3_vfs_register(ctypes.byref(layer), 1) == SQLITE_OK

    def leave_sqlite(self) -> None:
        """Have SQLite open files as before; files that are open go on being recorded."""
        self._leave()

    def _take_over(self, file: int, path: Path, *, flushes_folder: bool) -> None:
        """Replace the flush of a file that SQLite has opened."""
        methods = ctypes.cast(file, ctypes.POINTER(_POINTER))
        address = methods[0] or 0
        if address not in self._functions:
            copy = _FileFunctions.from_buffer_copy(
                ctypes.cast(address, ctypes.POINTER(_FileFunctions)).contents
            )
            flush = ctypes.cast(copy.functions[SYNC_AT], _SYNC)
            recorded = _SYNC(self._flush_recorded)
            copy.functions[SYNC_AT] = ctypes.cast(recorded, _POINTER).value
            _POINTED_TO.extend((copy, recorded))
            self._functions[address] = (ctypes.addressof(copy), flush)
        copied, flush = self._functions[address]
        methods[0] = copied
        self._open_files[file] = (path, flushes_folder, flush)

    def _flush_recorded(self, file: int, flags: int) -> int:
        path, flushes_folder, flush = self._open_files[file]
        entry = self._describe(path, path.stat().st_ino)
        status: int = flush(file, flags)
        if status == SQLITE_OK:
            self._write(entry)
            if flushes_folder:
                self._write(self._describe(path.parent, 0))
                self._open_files[file] = (path, False, flush)
        return status

    def _is_below(self, path: Path) -> bool:
        return path == self._root or self._root in path.parents

    def _describe(self, path: Path, inode: int) -> dict[str, Any] | None:
        """Return what a flush of a file or folder will have saved; None for one outside."""
        if not self._is_below(path):
            return None
        seen = time.time()
        if path.is_dir():
            names: dict[str, int | None] = {}
            for entry in os.scandir(path):
                names[entry.name] = None if entry.is_dir() else entry.inode()
                if not entry.is_dir():
                    self._keep_inode(Path(entry.path), entry.inode())
            return {
                "seen": seen,
                "folder": path.relative_to(self._root).as_posix(),
                "names": names,
            }
        self._keep_inode(path, inode)
        return {"seen": seen, "inode": inode, "pieces": list(self._save_pieces(path))}

    def _keep_inode(self, path: Path, inode: int) -> None:
        """Link a file, so that its number is not given to another file once it is deleted."""
        with suppress(OSError):
            os.link(path, self._record / "inodes" / str(inode))

    def _save_pieces(self, path: Path) -> Iterator[str]:
        with path.open("rb") as file:
            while piece := file.read(PIECE):
                digest = hashlib.blake2b(piece, digest_size=16).hexdigest()
                target = self._record / "pieces" / digest
                if not target.exists():
                    partial = target.with_name(f"{digest}-{os.getpid()}-{time.monotonic_ns()}")
                    partial.write_bytes(piece)
                    partial.replace(target)
                yield digest

    def _write(self, entry: dict[str, Any] | None) -> None:
        if entry is not None:
            line = json.dumps({"at": time.time(), **entry}) + "\n"
            # Opened each time, because workers close what they have inherited.
            with (self._record / "log").open("ab", buffering=0) as log:
                log.write(line.encode())


@contextmanager
def recording(root: Path, record: Path) -> Iterator[None]:
    """Record what this process flushes below a folder until the block ends."""
    recorder, original = Recorder(root, record), os.fsync
    recorder.record_sqlite()
    os.fsync = recorder.fsync
    try:
        yield
    finally:
        os.fsync = original
        recorder.leave_sqlite()


def read_log(record: Path) -> list[dict[str, Any]]:
    """Return all flushes in the order in which their content was read.

    They end in another order: of two processes that flush one folder, the one that has read its
    names earlier may end later. What was read last is on the disk.
    """
    lines = (record / "log").read_text().splitlines()
    return sorted(map(json.loads, lines), key=lambda flush: float(flush["seen"]))


def build_image(record: Path, flushes: list[dict[str, Any]], until: float, target: Path) -> None:
    """Build the folder as a power cut at a moment leaves it."""
    contents: dict[int, list[str]] = {}
    folders: dict[str, dict[str, int | None]] = {}
    for flush in flushes:
        if flush["at"] > until:
            continue
        if "folder" in flush:
            folders[flush["folder"]] = flush["names"]
        else:
            contents[flush["inode"]] = flush["pieces"]

    def fill(name: str, folder: Path) -> None:
        folder.mkdir()
        for entry, inode in folders.get(name, {}).items():
            if inode is None:
                fill(entry if name == "." else f"{name}/{entry}", folder / entry)
            else:
                pieces = contents.get(inode, [])
                content = b"".join((record / "pieces" / digest).read_bytes() for digest in pieces)
                (folder / entry).write_bytes(content)

    fill(".", target)
