"""The order of rows in time, from numbers or dates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median_low
from typing import TYPE_CHECKING, Any

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.tables.instants import parse_times, read_moments
from thetahat.values.types import IntArray, Label

if TYPE_CHECKING:
    from thetahat.values.layout import Layout


def order_times(times: Sequence[Label] | np.ndarray) -> tuple[IntArray, tuple[Label, ...]]:
    """Return the place of each row in time, and the times in their order.

    Times are numbers, or texts that are all numbers, or texts that ``parse_times`` takes, such as
    2026-11-26 or 2026-Q1. Rows of one time have one place; times need not be evenly spaced, because
    only their order is used.

    Returns
    -------
    places : ndarray of int
        (n,) places from 0 on.
    labels : tuple of label
        (T,) times as given; the first one of several spellings.

    Raises
    ------
    InvalidParameter
        A number among texts or the reverse; texts that ``parse_times`` refuses.
    """
    labels = np.asarray(times, dtype=object).tolist()
    values: Any = _read_numbers(labels)
    if values is None:
        values = parse_times([str(label) for label in labels], "time")
    _, first, places = np.unique(np.asarray(values), return_index=True, return_inverse=True)
    return places.astype(np.intp), tuple(labels[row] for row in first.tolist())


def find_longest_step(times: Sequence[Label]) -> tuple[Label, Label, int] | None:
    """Return the two neighbouring times farthest apart, and their distance in usual steps.

    Parameters
    ----------
    times : sequence of label
        (T,) times in their order, as ``order_times`` returns them.

    Returns
    -------
    tuple of label, label and int, or None
        The usual step is the median of all, and whole ones are counted. None below three times, and
        for times whose distance is not known, such as 2026-Q1.
    """
    values: list[Any] | None = None
    if len(times) > 2:
        numbers = _read_numbers(list(times))
        values = read_moments(map(str, times)) if numbers is None else numbers.tolist()
    if values is None:
        return None
    steps = [after - before for before, after in pairwise(values)]
    at = max(range(len(steps)), key=steps.__getitem__)
    return times[at], times[at + 1], int(steps[at] // median_low(steps))


def explain_dependence_in_time(name: str, layout: Layout) -> str | None:
    """Return why a method that takes rows as independent does not fit rows in time, or None."""
    if not layout.is_set_in_time:
        return None
    return (
        f"{name} takes the instances as independent, and these are in the order of time, where "
        "neighbours may be alike"
    )


def _read_numbers(labels: list[Label]) -> np.ndarray | None:
    """Return the times as numbers; None if the first of them is none.

    Whole numbers stay whole, because nanoseconds since 1970 would fall together as floats.
    """
    values: list[int | float] = []
    for row, label in enumerate(labels):
        try:
            value = _read_number(label)
        except ValueError:
            value = math.nan
        if isinstance(value, float) and not math.isfinite(value):
            if row == 0:
                return None
            raise InvalidParameter(
                f"The time in row {row} is {label!r}, and the first one is the number "
                f"{labels[0]!r}. Write all times as numbers, or all as dates.",
                loc=("time", row),
                value=str(label)[:100],
            )
        values.append(value)
    are_whole = all(isinstance(value, int) for value in values)
    return np.array(values) if are_whole else np.array(values, dtype=object)


def _read_number(label: Label) -> int | float:
    try:
        return int(label) if isinstance(label, int | str) else float(label)
    except ValueError:
        return float(label)
