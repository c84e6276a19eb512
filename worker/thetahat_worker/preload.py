"""Importing packages and compiling loops before an evaluation needs them.

What is quick to load is loaded once, before the worker processes are forked; the rest is loaded in
each process while it is idle.
"""

from __future__ import annotations

import gc
import logging
import threading
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Final

import numpy as np

import thetahat
from thetahat.numerics.loops.compile_ahead import every_loop, one_by_one
from thetahat.pipelines.allowed_classes import (
    CLASSIFIERS,
    REGRESSORS,
    TRANSFORMERS,
    VECTORISERS,
    load_class,
)
from thetahat_service.kinds.preparation import import_kinds_and_methods

BUSY: Final = threading.Lock()
"""A lock held while a unit is computed, and while code is imported or compiled in the background.

Compiling suppresses Python's warnings in all threads, and the cautions of a learner that is fitted
at the same time are made from these warnings. So a unit waits until the current loop is
compiled, and further compilation waits for the unit.
"""

LONGEST_LOAD_S: Final = 1.5
"""Processor time for reading the compiled loops before the fork; all of them take 0.4 to 0.7 s."""
FIRST_IMPORTS: Final = (
    "scipy.linalg",
    "scipy.optimize",
    "scipy.integrate",
    "scipy.interpolate",
    "scipy.ndimage",
    "scipy.stats",
    "sklearn.base",
)
"""Packages that learners import, one at a time: work that arrives waits for one of them only."""
PAUSE_S: Final = 1.0
"""Time for the first evaluations, which would otherwise compete with the imports."""
REST_S: Final = 0.3
"""Time without work after which learners are imported: on a busy machine one import may take
seconds, and evaluations of many units would wait for one before each unit."""
POLL_S: Final = 0.02

_END: Final = object()
log = logging.getLogger(__name__)


def load_before_fork() -> None:
    """Import all kinds, read the compiled loops and evaluate a few losses, for all processes.

    If the loops are not on disk, the forked processes compile them while they are idle.
    """
    import_kinds_and_methods()
    began = time.thread_time()
    try:
        for _ in one_by_one():
            if time.thread_time() - began > LONGEST_LOAD_S:
                return
        _evaluate_losses()
    except Exception:
        log.exception("worker.preparation_failed")  # each process tries it again


def _evaluate_losses() -> None:
    losses = np.linspace(0.0, 1.0, 80).reshape(2, 4, 10)
    for values in (losses, losses.round()):
        thetahat.evaluate({"first": values[0], "second": values[1]})


def warm_up(record_prepared: Callable[[], None]) -> None:
    """Start to prepare this process in the background; it pauses while a unit is computed.

    Parameters
    ----------
    record_prepared : callable
        Called when the loops are loaded. After an error it is not called, so that ``/readyz`` does
        not say that this process can compute.
    """

    def run() -> None:
        try:
            load_one_by_one(every_loop())
            record_prepared()
            time.sleep(PAUSE_S)
            load_one_by_one(import_learners(), REST_S)
        except Exception:
            log.exception("worker.preparation_failed")

    threading.Thread(target=run, name="warm-up", daemon=True).start()


def load_one_by_one(steps: Iterator[None], rest_s: float = 0.0) -> None:
    """Take steps while no unit is computed, then freeze all objects.

    Parameters
    ----------
    rest_s : float
        How long a process must have had no unit, after one is seen, before the next step.
    """
    has_step = True
    while has_step:
        _wait_for_rest(rest_s)
        with BUSY:
            has_step = next(steps, _END) is not _END
        time.sleep(0.001)  # gives a unit that waits for the lock the chance to get it
    with BUSY:
        # Imported objects are never freed; searching them for garbage takes a tenth of a second.
        gc.freeze()


def _wait_for_rest(rest_s: float) -> None:
    rest_until = 0.0
    while rest_s and (BUSY.locked() or time.monotonic() < rest_until):
        if BUSY.locked():
            rest_until = time.monotonic() + rest_s
        time.sleep(POLL_S)


def import_learners() -> Iterator[None]:
    """Import every learner and preparation step of scikit-learn that a request may name."""
    for name in FIRST_IMPORTS:
        import_module(name)
        yield
    for name in sorted({*CLASSIFIERS, *REGRESSORS, *TRANSFORMERS, *VECTORISERS}):
        load_class(name)
        yield
