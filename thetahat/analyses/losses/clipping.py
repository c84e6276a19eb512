"""Intervals that go beyond the range of the loss: clipped on request, else with a caution."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from thetahat.cautions import INTERVAL_BEYOND_RANGE, INTERVAL_CLIPPED_TO_RANGE
from thetahat.errors import InvalidParameter
from thetahat.intervals.base import Interval
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.number_text import format_number

ROUNDING: Final = 1e-12
"""By how much an end may pass a limit by rounding, where the limits are 0, 1 or infinite."""


def check_range_of_losses(table: LossTable, limits: tuple[float, float]) -> None:
    """Raise ``InvalidParameter`` for a range without one of the losses."""
    low, high = limits
    for name, losses in table.models.items():
        values = losses.scores if losses.values is None else losses.values
        assert values is not None  # noqa: S101 - BlockLosses has one of the two
        outside = values[(values < low) | (values > high)]
        if len(outside):
            raise InvalidParameter(
                f"The range is {low:g} to {high:g}, and {name!r} has the loss {outside[0]:g}; "
                "range is the smallest and the largest loss that there can be.",
                loc=("range",),
                value=[low, high],
            )


def clip_interval(
    interval: Interval, limits: tuple[float, float] | None, *, quantity: str
) -> Interval:
    """Return the interval clipped to the limits, with a caution if that changed it."""
    if limits is None:
        return interval
    low, high = limits
    lower = None if interval.lower is None else min(max(interval.lower, low), high)
    upper = None if interval.upper is None else min(max(interval.upper, low), high)
    if (lower, upper) == (interval.lower, interval.upper):
        return interval
    caution = INTERVAL_CLIPPED_TO_RANGE(
        low=low,
        high=high,
        quantity=quantity,
        lower=_format_end(interval.lower),
        upper=_format_end(interval.upper),
    )
    return replace(interval, lower=lower, upper=upper, cautions=(*interval.cautions, caution))


def caution_beyond_range(
    interval: Interval, limits: tuple[float, float], *, quantity: str
) -> Interval:
    """Return the interval, with a caution if an end is outside the range of the quantity."""
    low, high = limits
    lower, upper = interval.lower, interval.upper
    beyond = [
        *([f"below {low:g}"] if lower is not None and lower < low - ROUNDING else []),
        *([f"above {high:g}"] if upper is not None and upper > high + ROUNDING else []),
    ]
    if not beyond:
        return interval
    caution = INTERVAL_BEYOND_RANGE(beyond=" and ".join(beyond), quantity=quantity)
    return replace(interval, cautions=(*interval.cautions, caution))


def find_range_of_mean(
    losses: BlockLosses, loss_range: tuple[float, float] | None
) -> tuple[float, float] | None:
    """Return the range of the loss if it is known, 0 to 1 if every loss is 0 or 1, else None."""
    if loss_range is not None:
        return loss_range
    values = losses.values
    if values is not None and ((values == 0) | (values == 1)).all():
        return (0.0, 1.0)
    return None


def _format_end(value: float | None) -> str:
    return "open" if value is None else format_number(value)
