from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from worker.interrupts import SIGNAL, Interrupted, Interruptible, Reason, SharedFlag


@pytest.fixture
def main() -> Iterator[Interruptible]:
    before = signal.getsignal(SIGNAL)
    interruptible = Interruptible()
    interruptible.install()
    yield interruptible
    signal.signal(SIGNAL, before)


def _soon(main: Interruptible, reason: Reason) -> None:
    threading.Timer(0.05, main.interrupt, [reason]).start()


def test_exact_the_first_reason_comes_out_of_the_section(main: Interruptible) -> None:
    _soon(main, Reason.LOST)
    started = time.monotonic()
    with pytest.raises(Interrupted) as interruption, main.section():
        time.sleep(20)
    assert interruption.value.reason is Reason.LOST
    assert time.monotonic() - started < 5


def test_exact_no_handler_of_errors_eats_it(main: Interruptible) -> None:
    _soon(main, Reason.TIME_LIMIT)
    with pytest.raises(Interrupted), main.section():
        _sleep_carelessly()


def _sleep_carelessly() -> None:
    try:
        time.sleep(20)
    except Exception:  # noqa: BLE001 - what a careless learner does
        pytest.fail("eaten")


def test_degenerate_outside_a_section_nothing_is_raised(main: Interruptible) -> None:
    main.interrupt(Reason.LOST)
    os.kill(os.getpid(), SIGNAL)
    with main.section():
        time.sleep(0.01)
    assert not main.is_inside


def test_exact_a_flag_is_seen_by_forked_processes() -> None:
    flag = SharedFlag()
    assert not flag.is_set
    if (child := os.fork()) == 0:
        flag.set()
        os._exit(0)
    os.waitpid(child, 0)
    assert flag.is_set
