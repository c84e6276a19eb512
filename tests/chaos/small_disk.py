"""A small disk of the tests' own, which can be full without harm to the machine.

It is a file system in memory, mounted where only this process and its children see it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

SIZE_MB: Final = 512
RECORD_MB: Final = 4096
"""Of a disk with the record of what was flushed: 400 MB after four minutes beside other work."""
CLONE_NEWNS: Final = 0x0002_0000
CLONE_NEWUSER: Final = 0x1000_0000
MS_REC: Final = 0x4000
MS_PRIVATE: Final = 1 << 18
MNT_DETACH: Final = 2
BLOCKS: Final = (64 << 20, 1 << 20, 1 << 12)
"""Sizes of the pieces with which a disk is filled."""


@contextlib.contextmanager
def small_disk(folder: Path, size_mb: int = SIZE_MB) -> Iterator[bool]:
    """Mount a small disk on a folder until the block ends; False where it is not permitted.

    If this process is killed, the disk goes with the last process that sees it.
    """
    is_mounted = _mount(folder, size_mb)
    try:
        yield is_mounted
    finally:
        if is_mounted:
            ctypes.CDLL(None).umount2(os.fsencode(folder), MNT_DETACH)


def _mount(folder: Path, size_mb: int) -> bool:
    """Mount the disk where only this process sees it; others than root need a user namespace."""
    user, group = os.geteuid(), os.getegid()
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        _check(libc.unshare(CLONE_NEWNS if user == 0 else CLONE_NEWNS | CLONE_NEWUSER))
        if user != 0:
            Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
        _check(libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None))
        options = f"size={size_mb}m,mode=0755".encode()
        _check(libc.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", 0, options))
    except (OSError, AttributeError):  # another system than Linux has no such functions
        return False
    return True


@contextlib.contextmanager
def filled_disk(folder: Path) -> Iterator[None]:
    """Leave no free byte on the disk of a folder until the block ends."""
    filler = folder / "filler"
    with filler.open("wb") as file:
        try:
            size = 0
            for block in BLOCKS:
                with contextlib.suppress(OSError):  # no space is left for a block of this size
                    while True:
                        os.posix_fallocate(file.fileno(), size, block)
                        size += block
            yield
        finally:
            filler.unlink()


def fill_disk(folder: Path, seconds: float) -> None:
    """Have the disk full for some seconds."""
    with filled_disk(folder):
        time.sleep(seconds)


def _check(status: int) -> None:
    if status != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
