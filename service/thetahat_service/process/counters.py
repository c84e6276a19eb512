"""Totals that this process counts in memory, until they are added to those in the database.

Worker processes listen on nothing, so what they count reaches ``/metrics`` through the database,
with their heartbeats. What a process that is killed had not yet stored is missing from the totals.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from typing import Final

Labels = tuple[tuple[str, str], ...]
CounterKey = tuple[str, Labels]
"""Name of a total, and its labels in alphabetic order."""

SECONDS_BOUNDS: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0)
"""Upper bounds of the classes into which durations are counted."""

_TOTALS: Counter[CounterKey] = Counter()
_LOCK: Final = threading.Lock()


def add(name: str, value: float = 1.0, **labels: str) -> None:
    """Add to a total of this process."""
    with _LOCK:
        _TOTALS[name, tuple(sorted(labels.items()))] += value  # type: ignore[assignment]  # a Counter adds floats too


def observe_seconds(name: str, seconds: float, **labels: str) -> None:
    """Count a duration in its class, and add it to the sum of all durations of that name."""
    place = bisect_left(SECONDS_BOUNDS, seconds)
    bound = str(SECONDS_BOUNDS[place]) if place < len(SECONDS_BOUNDS) else "+Inf"
    add(f"{name}_bucket", 1.0, le=bound, **labels)
    add(f"{name}_sum", seconds, **labels)


def take() -> Mapping[CounterKey, float]:
    """Return the totals of this process, and reset them to zero."""
    with _LOCK:
        totals = dict(_TOTALS)
        _TOTALS.clear()
    return totals


def give_back(totals: Mapping[CounterKey, float]) -> None:
    """Add totals again that could not be stored."""
    with _LOCK:
        for key, value in totals.items():
            _TOTALS[key] += value  # type: ignore[assignment]
