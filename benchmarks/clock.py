"""The clock of the benchmarks: CPU seconds of this process, whatever others do on the machine.

Each script sets its BLAS threads before numpy is there, so this module does not.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any


def clock(call: Callable[[], Any], repeats: int = 5) -> tuple[float, Any]:
    """Median CPU seconds of so many calls, and the last answer."""
    (seconds,), (answer,) = in_turn([call], repeats)
    return seconds, answer


def in_turn(calls: Sequence[Callable[[], Any]], repeats: int) -> tuple[list[float], list[Any]]:
    """Median CPU seconds of each of the calls, made in turns, and their last answers."""
    times: list[list[float]] = []
    answers: list[Any] = []
    for _ in range(repeats):
        times.append([])
        answers = []
        for call in calls:
            start = time.process_time()
            answers.append(call())
            times[-1].append(time.process_time() - start)
    return [statistics.median(each) for each in zip(*times, strict=True)], answers
