"""Loading, while a new process has nothing to do, what its first evaluation would wait for."""

from __future__ import annotations

import threading

import numpy as np
import pyarrow as pa


def warm_up() -> None:
    """Begin to load in the background; work that comes earlier waits for the rest of it alone."""
    threading.Thread(target=_convert, name="warm-up", daemon=True).start()


def _convert() -> None:
    """Turn an array into a column: Arrow looks for pandas the first time, which takes a second."""
    pa.array(np.zeros(1))
