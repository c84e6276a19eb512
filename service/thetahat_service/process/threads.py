"""Limiting each process to one thread, because the processes share the cores."""

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


def limit_to_one_thread() -> None:
    """Tell the numerical libraries to use one thread, unless the environment says otherwise.

    Call it before numpy is imported; a process without threads can also be forked safely. The last
    variable is what joblib takes for the number of processors, so that a learner that asks for all
    of them gets one.
    """
    for name in VARIABLES:
        os.environ.setdefault(name, "1")
