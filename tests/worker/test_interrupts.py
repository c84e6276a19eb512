from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from thetahat_worker.interrupts import SIGNAL, Interrupted, Interruptible, Reason, SharedFlag

LONGEST_S = 120.0


@pytest.fixture
def main() -> Iterator[Interruptible]:
    before = signal.getsignal(SIGNAL)
    interruptible = Interruptible()
    interruptible.install()
    yield interruptible
    signal.signal(SIGNAL, before)


def _interrupt_inside(main: Interruptible, *reasons: Reason) -> None:
    """Interrupt for each reason once the main thread is inside its section."""

    def interrupt() -> None:
        while not main.is_inside:
            time.sleep(0.005)
        for reason in reasons:
            main.interrupt(reason)

    threading.Thread(target=interrupt).start()


def test_exact_the_first_reason_comes_out_of_the_section(main: Interruptible) -> None:
    _interrupt_inside(main, Reason.LOST, Reason.TIME_LIMIT)
    with pytest.raises(Interrupted) as interruption, main.allow_interrupts():
        time.sleep(LONGEST_S)
    assert interruption.value.reason is Reason.LOST


def test_exact_no_exception_handler_swallows_it(main: Interruptible) -> None:
    _interrupt_inside(main, Reason.TIME_LIMIT)
    with pytest.raises(Interrupted), main.allow_interrupts():
        _sleep_carelessly()


def _sleep_carelessly() -> None:
    try:
        time.sleep(LONGEST_S)
    except Exception:  # noqa: BLE001 - what a careless learner does
        pytest.fail("eaten")


def test_degenerate_outside_a_section_nothing_is_raised(main: Interruptible) -> None:
    main.interrupt(Reason.LOST)
    os.kill(os.getpid(), SIGNAL)
    with main.allow_interrupts():
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


SLOW_MODULE = """
import time

from slow_package import part

until = time.monotonic() + 0.5
while time.monotonic() < until:
    time.sleep(0.01)
finished = True
"""


@contextmanager
def _interrupting(main: Interruptible) -> Iterator[None]:
    """Interrupt again and again, as the watch thread does, until the block ends."""
    ended = threading.Event()

    def interrupt() -> None:
        while not ended.wait(0.1):
            main.interrupt(Reason.LOST)

    interrupter = threading.Thread(target=interrupt)
    interrupter.start()
    try:
        yield
    finally:
        ended.set()
        interrupter.join()


def test_exact_an_import_is_finished_before_the_interruption(
    main: Interruptible, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "slow_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "part.py").write_text("")
    (package / "slow.py").write_text(SLOW_MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    with _interrupting(main), pytest.raises(Interrupted), main.allow_interrupts():
        _import_and_sleep("slow_package.slow")
    assert sys.modules["slow_package.slow"].finished


def _import_and_sleep(name: str) -> None:
    importlib.import_module(name)
    time.sleep(LONGEST_S)


def test_exact_a_compilation_is_finished_before_the_interruption(main: Interruptible) -> None:
    import numba

    total = numba.njit(lambda values: values.sum())
    with _interrupting(main), pytest.raises(Interrupted), main.allow_interrupts():
        _call_and_sleep(total)
    assert len(total.signatures) == 1


def _call_and_sleep(compiled: Callable[[np.ndarray], float]) -> None:
    compiled(np.ones(3))
    time.sleep(LONGEST_S)
