"""Loading, while a new process has nothing to do, what its first evaluation would wait for."""

from __future__ import annotations

import threading

import numpy as np
import pyarrow as pa

from thetahat.kernels.warm import compile_all


def warm_up() -> None:
    """Begin to load in the background; work that comes earlier waits for the rest of it alone."""
    threading.Thread(target=_load, name="warm-up", daemon=True).start()


def _load() -> None:
    """Turn an array into a column: Arrow looks for pandas the first time, which takes a second.

    Then compile the loops, or take them from disk.
    """
    pa.array(np.zeros(1))
    compile_all()
