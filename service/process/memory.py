"""How much memory a process that computes may take."""

from __future__ import annotations

import contextlib
import resource
from pathlib import Path

MEBIBYTE = 1024 * 1024


def limit_memory(mebibytes: int) -> None:
    """Let allocations beyond the limit raise ``MemoryError`` in this process.

    Counted is what the process itself has written or may write (``RLIMIT_DATA``) beyond what it
    has now; mapped data files are not counted. Systems without that count have no limit here.
    """
    limit = _data_bytes() + mebibytes * MEBIBYTE
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))


def _data_bytes() -> int:
    """Return what counts now; 0 where the system does not say."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmData:")), 0)
