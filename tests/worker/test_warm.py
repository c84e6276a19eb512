"""Loops are compiled between units of work, never beside one."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from worker import warm


def test_exact_loops_are_compiled_only_while_there_is_no_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held: list[bool] = []

    def one_by_one() -> Iterator[None]:
        for _ in range(3):
            held.append(warm.AT_WORK.locked())
            yield

    monkeypatch.setattr(gc, "freeze", lambda: held.append(warm.AT_WORK.locked()))
    monkeypatch.setattr(warm, "one_by_one", one_by_one)

    warm.load()

    assert held == [True] * 4
    assert not warm.AT_WORK.locked()
