"""Loading, while a new process has nothing to do, what its first evaluation would wait for."""

from __future__ import annotations

import gc
import threading
import time
from typing import Final

from thetahat.numerics.loops.warm import every_loop

AT_WORK: Final = threading.Lock()
"""Held while a unit of work is done, and while a loop is compiled in the background.

Compiling silences Python's warnings for all threads, and the cautions of a learner that is fitted
meanwhile are made of them. So work waits for the loop at hand, and the other loops for its end.
"""

_END: Final = object()


def warm_up() -> None:
    """Begin to load in the background; it goes on while there is no work."""
    threading.Thread(target=load, name="warm-up", daemon=True).start()


def load() -> None:
    """Compile the loops, or take them from disk, and look for no garbage in what is loaded."""
    loops, is_left = every_loop(), True
    while is_left:
        with AT_WORK:
            is_left = next(loops, _END) is not _END
        time.sleep(0.001)  # else the one that waits for its turn may not get it
    with AT_WORK:
        # What is loaded now stays: looking through it for garbage takes a tenth of a second.
        gc.freeze()
