"""The part of an axis that is shown, and intervals that are cut where it ends."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from thetahat_presentation.captions import write_ends
from thetahat_service.figures.marks import build_layer
from thetahat_service.figures.style import Json

WIDE: Final = 4.0
"""Median half lengths of an interval that are shown beyond the outermost estimates."""
PADDING: Final = 0.04


@dataclass(frozen=True, slots=True)
class Bar:
    """An interval about an estimate; an open end is None."""

    estimate: float
    lower: float | None
    upper: float | None


def find_domain(bars: Sequence[Bar], also: Iterable[float] = ()) -> tuple[float, float]:
    """Return the ends of an axis on which all estimates are seen.

    An interval that is much longer than most is cut, because it would leave no room for the others:
    the axis ends four typical half lengths outside of the estimates. ``also`` are further values
    that must be on the axis, such as 0 and a margin.
    """
    estimates = [bar.estimate for bar in bars]
    halves = [
        abs(end - bar.estimate) for bar in bars for end in (bar.lower, bar.upper) if end is not None
    ]
    room = WIDE * statistics.median(halves) if halves else 0.0
    low, high = min(estimates), max(estimates)
    lows = [bar.lower for bar in bars if bar.lower is not None]
    highs = [bar.upper for bar in bars if bar.upper is not None]
    low = max(min([low, *lows]), low - room)
    high = min(max([high, *highs]), high + room)
    low, high = min([low, *also]), max([high, *also])
    gap = PADDING * (high - low) or 0.05 * abs(high) or 1.0
    return low - gap, high + gap


def cut_bar(bar: Bar, domain: tuple[float, float]) -> Json:
    """Return the fields of a row: the ends as they are, and as they are drawn.

    ``from`` and ``to`` are drawn; ``beyond_left`` and ``beyond_right`` say that the interval goes
    on where the axis ends.
    """
    low, high = domain
    has_bar = bar.lower is not None or bar.upper is not None
    lower, upper = bar.lower, bar.upper
    return {
        "estimate": bar.estimate,
        "lower": lower,
        "upper": upper,
        "interval": write_ends(lower, upper),
        "from": (low if lower is None else max(lower, low)) if has_bar else bar.estimate,
        "to": (high if upper is None else min(upper, high)) if has_bar else bar.estimate,
        "beyond_left": has_bar and (lower is None or lower < low),
        "beyond_right": has_bar and (upper is None or upper > high),
    }


CUT: Final = "An arrowhead marks an interval that goes on where the axis ends."


def is_cut(bar: Bar, domain: tuple[float, float]) -> bool:
    """Return whether a part of the interval is not on the axis."""
    row = cut_bar(bar, domain)
    return bool(row["beyond_left"] or row["beyond_right"])


def build_arrowheads(values: Sequence[Json], shared: Json, x: Json) -> list[Json]:
    """Return the layers that mark intervals which go on where the axis ends.

    ``values`` are the rows, with the fields of ``cut_bar``; ``shared`` is the encoding of all
    layers, and ``x`` the horizontal axis.
    """
    look: Json = {"size": 45, "filled": True, "opacity": 1}
    return [
        build_layer(
            "point",
            {**shared, "x": {"field": end, **x}},
            where=f"datum.{side}",
            shape=shape,
            **look,
        )
        for side, end, shape in (
            ("beyond_left", "from", "triangle-left"),
            ("beyond_right", "to", "triangle-right"),
        )
        if any(value[side] for value in values)
    ]
