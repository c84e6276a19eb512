"""The looks of a series: the estimate with its interval, as rows arrive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from thetahat_presentation.captions import write_level
from thetahat_service.figures.figure import Figure
from thetahat_service.figures.lines import Line, LinePlot, build_line_view, needs_log

NAME: Final = "sequence"
MOST_LOOKS: Final = 400
"""Looks that are drawn; of more, evenly spread ones with the first, the last and the decision."""


def build_sequence(series: Mapping[str, Any], looks: Sequence[Mapping[str, Any]]) -> Figure:
    """Return the figure of a series.

    ``series`` is the document of the series, and ``looks`` are those of the looks to draw, the
    first one first.
    """
    models, better = series["models"], series["better"]
    is_pair = len(models) > 1
    what = f"{models[0]} - {models[1]}" if is_pair else f"mean of {models[0]}"
    centre = series["reference"] or 0.0
    is_planned = "looks" in series["method"]["params"]
    x = [look["n"] for look in looks]
    decided = [i for i, look in enumerate(looks) if look["number"] == series["decided_at_look"]]
    lines = [
        Line(
            name=what,
            x=x,
            y=[look["estimate"] for look in looks],
            lower=[look["lower"] for look in looks],
            upper=[look["upper"] for look in looks],
            ringed=tuple(decided),
            has_points=len(looks) <= 40,
        )
    ]
    ends = [x[0], x[-1]] if x else [0, 1]
    lines.append(_build_level("no difference" if is_pair else "reference", ends, centre, colour=-1))
    if series["margin"] is not None:
        for name, sign in (("margin above", 1), ("margin below", -1)):
            level = centre + sign * series["margin"]
            lines.append(_build_level(name, ends, level, colour=2))
    drawn = LinePlot(
        lines=lines,
        x_title="clusters so far" if series["unit"] == "cluster" else "rows so far",
        y_title=what,
        is_log=bool(x) and needs_log(ends),
        intervals="bars" if is_planned else "band",
    )
    side = "below" if better == "lower" else "above"
    against = "no difference" if is_pair else "the reference"
    left_out = series["batches"] - len(looks)
    caption = (
        f"The line is the {'mean difference' if is_pair else 'mean'} after each batch, and "
        f"{'each bar' if is_planned else 'the band'} its {write_level(series['level'])} interval, "
        f"which holds for all looks together: where it is {side} {against}, {models[0]} is better."
    )
    if decided:
        caption += " The ring is the look that decided."
    if left_out > 0:
        caption += f" {left_out} of {series['batches']} looks are not drawn."
    return Figure(
        name=NAME,
        title=f"{'Difference' if is_pair else 'Mean'} at every look",
        caption=caption,
        alt=f"{series['batches']} looks at {what}. {series['sentence']}",
        about=tuple(models),
        view=lambda style: build_line_view(drawn, style),
    )


def _build_level(name: str, ends: Sequence[float], value: float, colour: int) -> Line:
    return Line(
        name=name, x=ends, y=[value, value], is_dashed=True, has_points=False, colour=colour
    )
