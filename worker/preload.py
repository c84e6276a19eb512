"""Importing packages and compiling loops for the first evaluation while a process is idle."""

from __future__ import annotations

import gc
import logging
import threading
import time
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Final

from thetahat.numerics.loops.compile_ahead import every_loop
from thetahat.pipelines.allowed_classes import (
    CLASSIFIERS,
    REGRESSORS,
    TRANSFORMERS,
    VECTORISERS,
    load_class,
)

BUSY: Final = threading.Lock()
"""A lock held while a unit is computed, and while code is imported or compiled in the background.

Compiling suppresses Python's warnings in all threads, and the cautions of a learner that is fitted
at the same time are made from these warnings. So a unit waits until the current loop is
compiled, and further compilation waits for the unit.
"""

_END: Final = object()
log = logging.getLogger(__name__)


def warm_up(record_prepared: Callable[[], None]) -> None:
    """Start to prepare this process in the background; it pauses while a unit is computed.

    Parameters
    ----------
    record_prepared : callable
        Called at the end. After an error it is not called, so that ``/readyz`` does not say that
        this process can compute.
    """

    def run() -> None:
        try:
            prepare()
        except Exception:
            log.exception("worker.preparation_failed")
            return
        record_prepared()

    threading.Thread(target=run, name="warm-up", daemon=True).start()


def prepare() -> None:
    """Import scikit-learn, compile the loops or read them from disk, and freeze all objects."""
    steps, has_step = chain(import_learners(), every_loop()), True
    while has_step:
        with BUSY:
            has_step = next(steps, _END) is not _END
        time.sleep(0.001)  # gives a unit that waits for the lock the chance to get it
    with BUSY:
        # Imported objects are never freed; searching them for garbage takes a tenth of a second.
        gc.freeze()


def import_learners() -> Iterator[None]:
    """Import every learner and preparation step of scikit-learn that a request may name."""
    for name in sorted({*CLASSIFIERS, *REGRESSORS, *TRANSFORMERS, *VECTORISERS}):
        load_class(name)
        yield
