"""Clipping an interval to the range of the loss, with a caution."""

from __future__ import annotations

from dataclasses import replace

from thetahat.cautions import INTERVAL_CLIPPED_TO_RANGE
from thetahat.errors import InvalidParameter
from thetahat.intervals.base import Interval
from thetahat.values.block_losses import LossTable
from thetahat.values.number_text import format_number


def check_range_of_losses(table: LossTable, limits: tuple[float, float]) -> None:
    """Raise ``InvalidParameter`` for a range without one of the losses."""
    low, high = limits
    for name, losses in table.models.items():
        values = losses.scores if losses.values is None else losses.values
        assert values is not None  # noqa: S101 - BlockLosses has one of the two
        outside = values[(values < low) | (values > high)]
        if len(outside):
            raise InvalidParameter(
                f"The range is {low:g} to {high:g}, and {name!r} has the loss {outside[0]:g}; clip "
                "needs the range that losses can have.",
                loc=("range",),
                value=[low, high],
            )


def clip_interval(interval: Interval, limits: tuple[float, float] | None) -> Interval:
    """Return the interval clipped to the limits, with a caution if that changed it."""
    if limits is None:
        return interval
    low, high = limits
    lower = None if interval.lower is None else min(max(interval.lower, low), high)
    upper = None if interval.upper is None else min(max(interval.upper, low), high)
    if (lower, upper) == (interval.lower, interval.upper):
        return interval
    caution = INTERVAL_CLIPPED_TO_RANGE(
        low=low, high=high, lower=_format_end(interval.lower), upper=_format_end(interval.upper)
    )
    return replace(interval, lower=lower, upper=upper, cautions=(*interval.cautions, caution))


def _format_end(value: float | None) -> str:
    return "open" if value is None else format_number(value)
