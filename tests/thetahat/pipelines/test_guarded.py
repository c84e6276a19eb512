"""Warnings of a learner, whatever other threads do to the filters meanwhile."""

from __future__ import annotations

import threading
import warnings

import pytest

from thetahat.kernels import warm
from thetahat.pipelines.guarded import guarded
from thetahat.turns import WARNING_FILTERS
from thetahat.types import Caution


def test_exact_a_warning_is_kept_where_another_thread_would_silence_all() -> None:
    begun, silent, over = threading.Event(), threading.Event(), threading.Event()

    def silence() -> None:
        begun.wait()
        with WARNING_FILTERS, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            silent.set()
            over.wait()

    other = threading.Thread(target=silence)
    other.start()
    cautions: list[Caution] = []
    with guarded("learner", cautions):
        begun.set()
        silent.wait(0.1)  # it gets its turn only after this block
        warnings.warn("not so sure", stacklevel=1)
    over.set()
    other.join()

    assert [caution.message for caution in cautions] == ["learner: not so sure"]


def test_exact_loops_are_compiled_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    free: list[bool] = []

    def step(*_: object) -> None:
        def look() -> None:
            free.append(WARNING_FILTERS.acquire(blocking=False))

        other = threading.Thread(target=look)
        other.start()
        other.join()

    names = [name for name in vars(warm) if name.startswith("_warm_")]
    for name in names:
        monkeypatch.setattr(warm, name, step)

    warm.compile_all()

    assert free == [False] * len(names)
