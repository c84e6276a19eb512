"""Values of one parameter: those listed, or those between two ends."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeGuard

import numpy as np

from thetahat.errors import InvalidParameter, Loc

MOST_VALUES: Final = 1000
"""Of one parameter."""
SCALES: Final = ("log", "linear")
_LARGEST: Final = 1e300
Value = float | int | str | bool | None


def values_of(given: Any, loc: Loc) -> tuple[Value, ...]:
    """Return the values of one parameter, from a list or a range as a request has it.

    A range is ``{"from": a, "to": b, "count": m}``, and may have a ``scale``: ``log`` (if left
    out) or ``linear``.
    """
    if isinstance(given, Mapping):
        return _of_range(given, loc)
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        raise InvalidParameter(
            'the values of a parameter are a list, or {"from": .., "to": .., "count": ..}', loc=loc
        )
    check_count(len(given), loc)
    for i, value in enumerate(given):
        if not (value is None or isinstance(value, str | bool) or _is_number(value)):
            raise InvalidParameter(
                "a value of a grid is a number, a text, true, false or null", loc=(*loc, i)
            )
    check_distinct(given, loc)
    return tuple(given)


def between(
    low: float, high: float, count: int, scale: str, loc: Loc
) -> tuple[float, ...] | tuple[int, ...]:
    r"""Return the values of a range, its ends among them.

    .. math:: v_i = a \, (b/a)^{(i-1)/(m-1)} \quad\text{or}\quad v_i = a + (b-a)\frac{i-1}{m-1}

    with a, b and m for ``low``, ``high`` and ``count``, on a logarithmic scale or a linear one;
    whole numbers stay whole on a linear scale between whole ends.

    Parameters
    ----------
    loc : tuple
        Where the range stands in the request; ``from``, ``to`` and ``count`` stand in it.
    """
    if count < 2:
        raise InvalidParameter(
            f"a range has two values at least, and count is {count}",
            loc=(*loc, "count"),
            value=count,
        )
    check_count(count, (*loc, "count"))
    if low == high:
        raise InvalidParameter(
            f"from and to are the same, {low:g}; a list may have a single value",
            loc=(*loc, "to"),
            value=high,
        )
    if scale == "linear":
        found = np.linspace(low, high, count)
        is_whole = isinstance(low, int) and isinstance(high, int) and (found % 1 == 0).all()
        return tuple((found.astype(np.int64) if is_whole else found).tolist())
    if min(low, high) <= 0:
        at, end = ("from", low) if low <= 0 else ("to", high)
        raise InvalidParameter(
            f"the ends of a logarithmic range are above 0, and {at} is {end:g}; use the scale "
            "linear, or a list",
            loc=(*loc, at),
            value=end,
        )
    return tuple(np.geomspace(low, high, count).tolist())


def check_count(count: int, loc: Loc) -> None:
    """Refuse more values than one parameter may have."""
    if count > MOST_VALUES:
        raise InvalidParameter(
            f"{count} values are more than the {MOST_VALUES} that one parameter may have",
            loc=loc,
            value=count,
        )


def check_distinct(values: Sequence[Any], loc: Loc) -> None:
    """Refuse a list in which a value stands twice; 1 and 1.0 are one, 1 and true are two."""
    for i, value in enumerate(values):
        if any(_same(value, other) for other in values[:i]):
            raise InvalidParameter(
                f"{shown(value)} stands twice in the grid", loc=(*loc, i), value=value
            )


def shown(value: Any) -> str:
    """Return a value as JSON has it, cut where it is long."""
    return json.dumps(value)[:80]


def _of_range(given: Mapping[str, Any], loc: Loc) -> tuple[Value, ...]:
    unknown = [str(key) for key in given if key not in {"from", "to", "count", "scale"}]
    lacking = [key for key in ("from", "to", "count") if key not in given]
    if unknown or lacking:
        wrong = f"{unknown[0]!r} is none of them" if unknown else f"{lacking[0]} is missing"
        raise InvalidParameter(
            f"a range of values has from, to and count, and may have scale; {wrong}",
            loc=(*loc, *unknown[:1]),
        )
    low, high = (_number(given[key], (*loc, key)) for key in ("from", "to"))
    count, scale = given["count"], given.get("scale", "log")
    if isinstance(count, bool) or not isinstance(count, int):
        raise InvalidParameter(
            f"count must be a whole number, and is {shown(count)}",
            loc=(*loc, "count"),
            value=count,
        )
    if scale not in SCALES:
        raise InvalidParameter(
            f"scale must be one of {', '.join(SCALES)}, and is {shown(scale)}",
            loc=(*loc, "scale"),
            value=scale,
        )
    return between(low, high, count, scale, loc)


def _number(value: Any, loc: Loc) -> int | float:
    if isinstance(value, bool) or not _is_number(value):
        raise InvalidParameter("the end of a range is a number", loc=loc)
    return value


def _is_number(value: Any) -> TypeGuard[int | float]:
    """Whether it is a number of a size that parameters have."""
    return isinstance(value, int | float) and abs(value) <= _LARGEST  # not so for NaN


def _same(a: Any, b: Any) -> bool:
    return bool(a == b) and isinstance(a, bool) == isinstance(b, bool)
