"""One running service per data folder."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from thetahat_service.storage.durable_files import PRIVATE, make_folder
from thetahat_service.supervisor.errors import CannotStart


def is_locked(data_dir: Path) -> bool:
    """Return whether a process has the data folder locked."""
    try:
        with (data_dir / "lock").open() as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


@contextmanager
def lock_data_dir(data_dir: Path) -> Iterator[None]:
    """Lock the data folder; ``CannotStart`` if another process has it locked.

    The system releases the lock when the process ends, however it ends.
    """
    make_folder(data_dir, PRIVATE)
    with (data_dir / "lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            raise CannotStart(
                f"thetahat is already running on {data_dir} (process {holder}). "
                "Stop it, or choose another folder with --data-dir."
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield
