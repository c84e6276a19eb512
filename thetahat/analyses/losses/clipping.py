"""Cutting an interval to what the number can be, which is never done in silence."""

from __future__ import annotations

from dataclasses import replace

from thetahat.intervals.base import Interval
from thetahat.values.types import Caution


def clipped(interval: Interval, limits: tuple[float, float] | None) -> Interval:
    """Return the interval cut to the limits, with a caution where that changed it."""
    if limits is None:
        return interval
    low, high = limits
    lower = None if interval.lower is None else min(max(interval.lower, low), high)
    upper = None if interval.upper is None else min(max(interval.upper, low), high)
    if (lower, upper) == (interval.lower, interval.upper):
        return interval
    caution = Caution(
        "interval_clipped_to_range",
        f"cut to the range {low:.6g} to {high:.6g}; it was {_end(interval.lower)} to "
        f"{_end(interval.upper)}",
    )
    return replace(interval, lower=lower, upper=upper, cautions=(*interval.cautions, caution))


def _end(value: float | None) -> str:
    return "open" if value is None else f"{value:.6g}"
