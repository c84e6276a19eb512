"""The memory of the machine or container, and the limit of a process."""

from __future__ import annotations

import contextlib
import os
import resource
from pathlib import Path

MEBIBYTE = 1024 * 1024
CONTROL_GROUPS = Path("/sys/fs/cgroup")


def limit_memory(mebibytes: int) -> None:
    """Let allocations beyond the limit raise ``MemoryError`` in this process.

    Counted is what the process itself has written or may write (``RLIMIT_DATA``) beyond what it
    has now; mapped data files are not counted. Systems without that count have no limit here.
    """
    limit = _read_data_bytes() + mebibytes * MEBIBYTE
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))


def has_room_for(n_bytes: int) -> bool:
    """Return whether the limit of this process lets it have so much memory beyond what it has."""
    limit, _ = resource.getrlimit(resource.RLIMIT_DATA)
    return limit == resource.RLIM_INFINITY or _read_data_bytes() + n_bytes <= limit


def find_usable_memory_bytes() -> int | None:
    """Return the memory of this machine or, if it is less, of this container.

    None where the system does not say. The limit of a container is that of its control group, of
    version 2 (``memory.max``) or 1 (``memory/memory.limit_in_bytes``).
    """
    amounts = []
    with contextlib.suppress(ValueError, OSError):
        amounts.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        # Without a limit the file holds "max", or a number far above any memory.
        with contextlib.suppress(ValueError, OSError):
            amounts.append(int((CONTROL_GROUPS / name).read_text()))
    return min(amounts, default=None)


def _read_data_bytes() -> int:
    """Return the memory that counts for the limit now; 0 if the system does not report it."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmData:")), 0)
