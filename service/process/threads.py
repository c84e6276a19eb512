"""One thread per process: the processes share the cores."""

from __future__ import annotations

import os

VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "LOKY_MAX_CPU_COUNT",
)


def one_thread() -> None:
    """Ask the libraries for one thread, where the environment does not say otherwise.

    It must be said before numpy is loaded; and a process that has no threads can be forked safely.
    The last variable is what joblib takes for the number of processors, so that a learner that asks
    for all of them is given one.
    """
    for name in VARIABLES:
        os.environ.setdefault(name, "1")
