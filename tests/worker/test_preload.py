"""Loops are compiled between units of work, never beside one."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from worker import preload


def test_exact_loops_are_compiled_only_while_there_is_no_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held: list[bool] = []

    def one_by_one() -> Iterator[None]:
        for _ in range(3):
            held.append(preload.BUSY.locked())
            yield

    monkeypatch.setattr(gc, "freeze", lambda: held.append(preload.BUSY.locked()))
    monkeypatch.setattr(preload, "every_loop", one_by_one)

    preload.compile_loops()

    assert held == [True] * 4
    assert not preload.BUSY.locked()
