"""Importing and compiling, while a new process is idle, what its first evaluation needs."""

from __future__ import annotations

import gc
import threading
import time
from typing import Final

from thetahat.numerics.loops.warm import every_loop

BUSY: Final = threading.Lock()
"""Held while a unit is computed, and while a loop is compiled in the background.

Compiling suppresses Python's warnings in all threads, and the cautions of a learner that is fitted
at the same time are made from these warnings. So a unit waits for the loop that is being compiled,
and the other loops wait for the unit.
"""

_END: Final = object()


def warm_up() -> None:
    """Start to compile the loops in the background; it pauses while a unit is computed."""
    threading.Thread(target=compile_loops, name="warm-up", daemon=True).start()


def compile_loops() -> None:
    """Compile the loops, or read them from disk, and exempt them from garbage collection."""
    loops, is_left = every_loop(), True
    while is_left:
        with BUSY:
            is_left = next(loops, _END) is not _END
        time.sleep(0.001)  # else a unit that waits for the lock may not get it
    with BUSY:
        # What is imported now stays, and searching it for garbage takes a tenth of a second.
        gc.freeze()
