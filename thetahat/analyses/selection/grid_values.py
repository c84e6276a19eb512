"""The values of one parameter of a grid: a list, or a range between two ends."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeGuard

import numpy as np

from thetahat.errors import InvalidParameter, Loc

MAX_VALUES: Final = 1000
"""Largest number of values of one parameter."""
SCALES: Final = ("log", "linear")
_MAX_GRID_VALUE: Final = 1e300
GridValue = float | int | str | bool | None


def read_values(wire: Any, loc: Loc) -> tuple[GridValue, ...]:
    """Return the values of one parameter, from a list or a range as a request has it.

    A range is ``{"from": a, "to": b, "count": m}``, and may have a ``scale``: ``log`` (if left
    out) or ``linear``.
    """
    if isinstance(wire, Mapping):
        return _read_range(wire, loc)
    if not isinstance(wire, Sequence) or isinstance(wire, str) or not wire:
        raise InvalidParameter(
            'The values of a parameter are a list, or {"from": .., "to": .., "count": ..}.', loc=loc
        )
    check_count(len(wire), loc)
    for i, value in enumerate(wire):
        if not (value is None or isinstance(value, str | bool) or _is_number(value)):
            raise InvalidParameter(
                "A value of a grid is a number, a text, true, false or null.", loc=(*loc, i)
            )
    check_distinct(wire, loc)
    return tuple(wire)


def list_range_values(
    low: float, high: float, count: int, scale: str, loc: Loc
) -> tuple[float, ...] | tuple[int, ...]:
    r"""Return the values of a range, including its ends.

    .. math:: v_i = a \, (b/a)^{(i-1)/(m-1)} \quad\text{or}\quad v_i = a + (b-a)\frac{i-1}{m-1}

    with a, b and m for ``low``, ``high`` and ``count``, on a logarithmic scale or a linear one;
    integers stay integers on a linear scale between integer ends. ``loc`` is the path of the range
    in the request, which has ``from``, ``to`` and ``count``.
    """
    if count < 2:
        raise InvalidParameter(
            f"A range has at least two values; count is {count}.",
            loc=(*loc, "count"),
            value=count,
        )
    check_count(count, (*loc, "count"))
    if low == high:
        raise InvalidParameter(
            f"The ends of the range are both {low:g}. For a single value use a list.",
            loc=(*loc, "to"),
            value=high,
        )
    if scale == "linear":
        values = np.linspace(low, high, count)
        is_whole = isinstance(low, int) and isinstance(high, int) and (values % 1 == 0).all()
        return tuple((values.astype(np.int64) if is_whole else values).tolist())
    if min(low, high) <= 0:
        field, end = ("from", low) if low <= 0 else ("to", high)
        raise InvalidParameter(
            f"The ends of a logarithmic range must be above 0, and {field!r} is {end:g}. Use the "
            "scale 'linear', or a list.",
            loc=(*loc, field),
            value=end,
        )
    return tuple(np.geomspace(low, high, count).tolist())


def check_count(count: int, loc: Loc) -> None:
    """Refuse more values than one parameter may have."""
    if count > MAX_VALUES:
        raise InvalidParameter(
            f"The parameter has {count} values, more than the limit of {MAX_VALUES}.",
            loc=loc,
            value=count,
        )


def check_distinct(values: Sequence[Any], loc: Loc) -> None:
    """Refuse a list with a value twice; 1 and 1.0 are the same value, 1 and true are not."""
    for i, value in enumerate(values):
        if any(_is_same(value, other) for other in values[:i]):
            raise InvalidParameter(
                f"The value {format_value(value)} is in the grid twice.", loc=(*loc, i), value=value
            )


def format_value(value: Any) -> str:
    """Return a value as JSON text, of which the first 80 characters are kept."""
    return json.dumps(value)[:80]


def _read_range(wire: Mapping[str, object], loc: Loc) -> tuple[GridValue, ...]:
    unknown = [str(key) for key in wire if key not in {"from", "to", "count", "scale"}]
    missing = [key for key in ("from", "to", "count") if key not in wire]
    if unknown or missing:
        fault = f"{unknown[0]!r} is unknown" if unknown else f"{missing[0]!r} is missing"
        raise InvalidParameter(
            f"A range of values has 'from', 'to' and 'count', and may have 'scale'; {fault}.",
            loc=(*loc, *unknown[:1]),
        )
    low, high = (_read_number(wire[key], (*loc, key)) for key in ("from", "to"))
    count, scale = wire["count"], wire.get("scale", "log")
    if isinstance(count, bool) or not isinstance(count, int):
        raise InvalidParameter(
            f"The count of a range must be an integer; it is {format_value(count)}.",
            loc=(*loc, "count"),
            value=count,
        )
    if scale not in SCALES:
        raise InvalidParameter(
            f"The scale {format_value(scale)} is not one of {', '.join(SCALES)}.",
            loc=(*loc, "scale"),
            value=scale,
        )
    return list_range_values(low, high, count, scale, loc)


def _read_number(value: Any, loc: Loc) -> int | float:
    if isinstance(value, bool) or not _is_number(value):
        raise InvalidParameter("The ends of a range are numbers.", loc=loc)
    return value


def _is_number(value: Any) -> TypeGuard[int | float]:
    """Return whether a value is a number, neither NaN nor out of range for a parameter."""
    return isinstance(value, int | float) and abs(value) <= _MAX_GRID_VALUE  # false for NaN


def _is_same(a: Any, b: Any) -> bool:
    return bool(a == b) and isinstance(a, bool) == isinstance(b, bool)
