"""Importing packages and compiling loops before an evaluation needs them.

What claims units and evaluates losses is loaded once, before the worker processes are forked. Each
process looks for work first, and loads the rest while it is idle: after the loss of a machine, what
is loaded earlier delays the first result, on a busy machine by many times its processor time.
"""

from __future__ import annotations

import gc
import logging
import threading
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import chain
from typing import Final

import numpy as np

import thetahat
from thetahat.numerics.loops.compile_ahead import every_loop
from thetahat_service.kinds.registry import JOB_KINDS

BUSY: Final = threading.Lock()
"""A lock held while a unit is computed, and while code is imported or compiled in the background.

Compiling suppresses Python's warnings in all threads, and the cautions of a learner that is fitted
at the same time are made from these warnings. So a unit waits until the current loop is
compiled, and further compilation waits for the unit.
"""

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
"""Time without work after which more is loaded: on a busy machine one import may take seconds, and
evaluations of many units would wait for one before each unit."""
POLL_S: Final = 0.02

_END: Final = object()
log = logging.getLogger(__name__)


def load_before_fork() -> None:
    """Evaluate a few losses, which imports the methods for it, for all processes."""
    try:
        _evaluate_losses()
    except Exception:
        log.exception("worker.preparation_failed")  # each process tries it again


def _evaluate_losses() -> None:
    losses = np.linspace(0.0, 1.0, 80).reshape(2, 4, 10)
    for values in (losses, losses.round()):
        thetahat.evaluate({"first": values[0], "second": values[1]})


def warm_up(record_prepared: Callable[[], None]) -> None:
    """Start to prepare this process in the background; it pauses while a unit is computed.

    ``record_prepared`` is called when the loops are loaded. After an error it is not called, so
    that ``/readyz`` does not say that this process can compute.
    """

    def run() -> None:
        try:
            load_one_by_one(every_loop())
            record_prepared()
            time.sleep(PAUSE_S)
            load_one_by_one(chain(import_kinds(), import_learners()))
        except Exception:
            log.exception("worker.preparation_failed")

    threading.Thread(target=run, name="warm-up", daemon=True).start()


def load_one_by_one(steps: Iterator[None]) -> None:
    """Take steps while the process rests from computing units, then freeze all objects."""
    has_step = True
    rest_until = time.monotonic() + REST_S
    while has_step:
        while BUSY.locked() or time.monotonic() < rest_until:
            if BUSY.locked():
                rest_until = time.monotonic() + REST_S
            time.sleep(POLL_S)
        with BUSY:
            has_step = next(steps, _END) is not _END
        time.sleep(0.001)  # gives a unit that waits for the lock the chance to get it
    with BUSY:
        # Imported objects are never freed; searching them for garbage takes a tenth of a second.
        gc.freeze()


def import_kinds() -> Iterator[None]:
    """Import every kind of evaluation."""
    for name in JOB_KINDS:
        _ = JOB_KINDS[name]
        yield


def import_learners() -> Iterator[None]:
    """Import every learner and preparation step of scikit-learn that a request may name."""
    from thetahat.pipelines import allowed_classes as allowed  # noqa: PLC0415 - after the first work

    for name in FIRST_IMPORTS:
        import_module(name)
        yield
    classes = allowed.CLASSIFIERS, allowed.REGRESSORS, allowed.TRANSFORMERS, allowed.VECTORISERS
    for name in sorted(set().union(*classes)):
        allowed.load_class(name)
        yield
