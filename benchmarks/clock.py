"""The clock of the benchmarks: CPU seconds of this process, whatever others do on the machine.

Each script sets the number of BLAS threads before it imports numpy, so this module does not.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any


def clock(call: Callable[[], Any], repeats: int = 5) -> tuple[float, Any]:
    """Return the median CPU seconds of ``repeats`` calls, and the result of the last call."""
    (seconds,), (answer,) = time_in_turn([call], repeats)
    return seconds, answer


def time_in_turn(calls: Sequence[Callable[[], Any]], repeats: int) -> tuple[list[float], list[Any]]:
    """Return the median CPU seconds of each function, called in turn, and the last results."""
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
