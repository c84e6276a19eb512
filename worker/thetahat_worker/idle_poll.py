"""Looking for work in the database while no message comes.

Messages wake a worker at once, but the broker may be frozen, and a message may be lost, as all are
with a machine that also ran the broker. A process that has just started, or got none for a while,
therefore looks into the queue in the database. The work is done in the
main thread, because only that thread can be interrupted: a signal interrupts its wait for the next
message.
"""

from __future__ import annotations

import logging
import random
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from thetahat_service.storage import unit_queue
from thetahat_service.storage.infrastructure import INFRASTRUCTURE_ERRORS, describe_fault
from thetahat_service.storage.time_limits import answer_within
from thetahat_service.storage.unit_of_work import reading
from thetahat_service.storage.units import UnitKey
from thetahat_worker.executor import UnitExecutor
from thetahat_worker.preload import BUSY

log = logging.getLogger(__name__)

SIGNAL: Final = signal.SIGALRM
PAUSE_S: Final = 2.0
"""Seconds without a message after which a process looks for work."""
NEXT_S: Final = 0.05
"""The pause after work was found; a message that has come meanwhile is handled in it."""
ANSWER_S: Final = 2.0
"""Longest wait for the database."""


class IdlePoll:
    """Makes the main thread of a worker process compute queued units without a message.

    Parameters
    ----------
    executor : UnitExecutor
        Computes the units.
    replaced_status : int
        The exit status of a process in which an error of the program occurred.
    """

    def __init__(self, executor: UnitExecutor, replaced_status: int) -> None:
        self._executor = executor
        self._replaced_status = replaced_status
        self._is_busy = False
        self._idle_since = float("-inf")
        self._key: UnitKey | None = None
        self._handled = threading.Event()
        self._ended = threading.Event()
        self._main = threading.main_thread()
        self._thread = threading.Thread(target=self._run, name="idle-poll", daemon=True)

    def start(self) -> None:
        """Install the signal handler and start the thread; call this in the main thread."""
        signal.signal(SIGNAL, self._compute)
        self._thread.start()

    def stop(self) -> None:
        """End the thread; call this in the main thread."""
        self._ended.set()
        self._handled.set()
        self._thread.join(timeout=ANSWER_S)

    @contextmanager
    def handle_message(self) -> Iterator[None]:
        """Mark a block in which a message is handled."""
        self._is_busy = True
        try:
            yield
        finally:
            self._idle_since = time.monotonic()
            self._is_busy = False

    def _run(self) -> None:
        pause_s = NEXT_S
        while not self._ended.wait(pause_s * random.uniform(1.0, 1.2)):  # noqa: S311 - spreads the processes
            is_waiting = not self._is_busy and time.monotonic() - self._idle_since >= pause_s
            pause_s = NEXT_S if is_waiting and self._wake_for_work() else PAUSE_S

    def _wake_for_work(self) -> bool:
        """Let the main thread compute if there is work; return whether it has."""
        try:
            with answer_within(ANSWER_S), reading() as connection:
                queued = unit_queue.list_claimable(connection, 1)
        except INFRASTRUCTURE_ERRORS as error:
            log.warning("worker.queue_unreadable", extra={"reason": describe_fault(error)})
            return False
        if not queued or self._main.ident is None:
            return False
        self._key = queued[0].key
        self._handled.clear()
        if self._ended.is_set():
            return False
        signal.pthread_kill(self._main.ident, SIGNAL)
        self._handled.wait()
        return True

    def _compute(self, number: int, frame: FrameType | None) -> None:
        """Compute units, unless a message has come in between."""
        del number, frame
        key, self._key = self._key, None
        try:
            if key is None or self._is_busy or self._ended.is_set():
                return
            with self.handle_message(), BUSY:
                self._executor.compute_queued_units(key)
            self._idle_since = float("-inf")
            if self._executor.must_be_replaced:
                raise SystemExit(self._replaced_status)
        finally:
            self._handled.set()
