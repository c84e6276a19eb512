"""Loops are compiled between units of work, never beside one."""

from __future__ import annotations

import gc

import pytest

from worker import warm


def test_exact_loops_are_compiled_only_while_there_is_no_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held: list[bool] = []
    monkeypatch.setattr(gc, "freeze", lambda: held.append(warm.AT_WORK.locked()))
    monkeypatch.setattr(warm, "steps", lambda: (lambda: held.append(warm.AT_WORK.locked()),) * 3)

    warm.load()

    assert held == [True] * 4
    assert not warm.AT_WORK.locked()
