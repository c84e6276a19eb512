"""The known range of losses, scores and metrics, which no interval leaves unless requested."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from thetahat.cautions import INTERVAL_BEYOND_RANGE, INTERVAL_CLIPPED_TO_RANGE
from thetahat.errors import InvalidParameter
from thetahat.intervals.base import Interval
from thetahat.values.block_losses import LossTable
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
                f"The range is {low:g} to {high:g}, and {name!r} has the loss {outside[0]:g}; it "
                "must be the range that losses can have.",
                loc=("range",),
                value=[low, high],
            )


def clip_interval(interval: Interval, limits: tuple[float, float], *, quantity: str) -> Interval:
    """Return the interval clipped to the limits, with a caution if that changed it.

    An end that passes a limit by rounding is put on the limit without a caution.
    """
    low, high = limits
    lower = None if interval.lower is None else min(max(interval.lower, low), high)
    upper = None if interval.upper is None else min(max(interval.upper, low), high)
    if (lower, upper) == (interval.lower, interval.upper):
        return interval
    moved = (
        abs(new - old)
        for new, old in ((lower, interval.lower), (upper, interval.upper))
        if new is not None and old is not None
    )
    if max(moved) <= ROUNDING:
        return replace(interval, lower=lower, upper=upper)
    caution = INTERVAL_CLIPPED_TO_RANGE(
        range=_format_range(low, high),
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


def find_ranges(
    table: LossTable, stated: tuple[float, float] | None
) -> Mapping[str, tuple[float, float] | None]:
    """Return the range of every model's mean, None where it is not known.

    It is that of the request, else that of the loss, else 0 to 1 where every loss is 0 or 1.
    """
    known = stated or table.loss_range
    return {
        name: known or ((0.0, 1.0) if losses.are_zero_one else None)
        for name, losses in table.models.items()
    }


def subtract_ranges(
    a: tuple[float, float] | None, b: tuple[float, float] | None
) -> tuple[float, float] | None:
    """Return the range of a difference, a minus b; None where one of them is not known."""
    return None if a is None or b is None else (a[0] - b[1], a[1] - b[0])


def keep_in_range(
    interval: Interval, limits: tuple[float, float] | None, *, clip: bool, quantity: str
) -> Interval:
    """Return the interval clipped to a known range; not clipped, it has a caution instead.

    Without clipping only a recommended interval has the caution.
    """
    if limits is None:
        return interval
    if clip:
        return clip_interval(interval, limits, quantity=quantity)
    if not interval.recommended:
        return interval
    return caution_beyond_range(interval, limits, quantity=quantity)


def _format_range(low: float, high: float) -> str:
    if high == math.inf:
        return f"{format_number(low)} and above"
    if low == -math.inf:
        return f"{format_number(high)} and below"
    return f"{format_number(low)} to {format_number(high)}"


def _format_end(value: float | None) -> str:
    return "open" if value is None else format_number(value)
