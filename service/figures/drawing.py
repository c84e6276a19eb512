"""Drawing a figure as SVG or PNG."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from service.figures.log_ticks import log_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import XAxis, YAxis

FigureFormat = Literal["svg", "png"]
INCHES: Final = (7.0, 4.4)
DOTS_PER_INCH: Final = 144
COLOURS: Final = (
    "#1b6ca8",
    "#d1495b",
    "#2e8b57",
    "#e69f00",
    "#7b4fa6",
    "#4a4a4a",
    "#56b4e9",
    "#a0522d",
)
"""Colours that people with red-green colour blindness can distinguish."""
_MARKS: Final = "osD^vPX*"
_LEGEND_LETTERS: Final = 100  # that are as wide as the paper
_LEGEND_GAP: Final = 10  # of them, for the line and the space between two names
_LEGEND_ROW: Final = 0.2  # inches
_MOST_MARKED: Final = 60  # points of a line that are marked one by one
_DRAWING: Final = threading.Lock()  # matplotlib is not made for threads


def draw(figure: Mapping[str, Any], form: FigureFormat) -> bytes:
    """Draw a figure as the result has it; the same numbers give the same bytes.

    Parameters
    ----------
    figure : mapping
        ``title``, the axes ``x`` and ``y``, ``series``, as ``thetahat.analyses.studies.Figure``
        tells them.
    form : str
        ``svg`` or ``png``.
    """
    with _DRAWING:
        import matplotlib as mpl  # noqa: PLC0415 - rarely needed and slow to import
        from matplotlib.figure import Figure  # noqa: PLC0415 - likewise

        # a $ is a $, letters stay letters, and the same numbers get the same names
        plain: dict[Any, Any] = {
            "text.parse_math": False,
            "svg.fonttype": "none",
            "svg.hashsalt": "thetahat",
        }
        with mpl.rc_context(plain):
            names = [one["name"] for one in figure["series"]]
            columns = max(1, _LEGEND_LETTERS // (max(map(len, names), default=0) + _LEGEND_GAP))
            width, height = INCHES
            height += _LEGEND_ROW * -(-len(names) // columns)
            paper = Figure(figsize=(width, height), layout="constrained")
            _fill(paper.add_subplot(), figure)
            if len(names) > 1:  # below the axes, where it hides nothing
                paper.legend(loc="outside lower center", ncols=columns, fontsize=8.5)
            held = io.BytesIO()
            metadata = {"Date": None} if form == "svg" else {}
            paper.savefig(held, format=form, dpi=DOTS_PER_INCH, metadata=metadata)
    return held.getvalue()


def _fill(axes: Axes, figure: Mapping[str, Any]) -> None:
    series = figure["series"]
    bars = [one for one in series if one["style"] == "bars"]
    n_dashed = sum(one["style"] == "dashed" for one in series)
    dashed = colours = 0
    for place, one in enumerate(series):
        if one["style"] == "dashed":
            # one alone is what the others are measured by; of several each goes with another
            _dashed(axes, one, COLOURS[dashed % len(COLOURS)] if n_dashed > 1 else "#333333")
            dashed += 1
            continue
        colour = COLOURS[colours % len(COLOURS)]
        colours += 1
        if one["style"] == "bars":
            _bars(axes, one, bars.index(one), len(bars), colour)
        else:
            _line(axes, one, place, colour)
    axes.set_title(figure["title"], fontsize=11)
    _scale(axes.xaxis, figure["x"], axes.set_xscale)
    _scale(axes.yaxis, figure["y"], axes.set_yscale)
    axes.grid(visible=True, linewidth=0.4, color="#cccccc")
    axes.set_axisbelow(True)


def _scale(
    axis: XAxis | YAxis, description: Mapping[str, Any], set_scale: Callable[[str], None]
) -> None:
    from matplotlib.ticker import LogFormatter, NullFormatter  # noqa: PLC0415 - as above

    axis.set_label_text(description["title"])
    set_scale(description["scale"])
    if description["scale"] == "log":  # its own ticks would be formulas
        axis.set_major_formatter(LogFormatter())
        axis.set_minor_formatter(NullFormatter())
        low, high = sorted(axis.get_view_interval())
        ticks = log_ticks(low, high)
        if ticks:
            axis.set_ticks(ticks, [f"{value:.6g}" for value in ticks])
    if description["labels"]:
        axis.set_ticks(range(len(description["labels"])), description["labels"])


def _line(axes: Axes, one: Mapping[str, Any], place: int, colour: str) -> None:
    x, y = _points(one)
    is_line = one["style"] == "line"
    marked = not is_line or len(x) <= _MOST_MARKED
    axes.errorbar(
        x,
        y,
        yerr=_errors(one),
        color=colour,
        linestyle="-" if is_line else "none",
        linewidth=1.4,
        marker=_MARKS[place % len(_MARKS)] if marked else "none",
        markerfacecolor=colour if place < len(_MARKS) else "none",  # a second round is hollow
        markersize=4.0,
        capsize=2.0,
        elinewidth=0.9,
        label=one["name"],
    )


def _dashed(axes: Axes, one: Mapping[str, Any], colour: str) -> None:
    axes.errorbar(*_points(one), color=colour, linestyle="--", linewidth=1.2, label=one["name"])


def _bars(axes: Axes, one: Mapping[str, Any], which: int, n: int, colour: str) -> None:
    x, y = _points(one)
    width = 0.8 / n
    shifted = [at + (which - (n - 1) / 2) * width for at in x]
    errors = _errors(one)
    axes.bar(shifted, y, width, yerr=errors, color=colour, capsize=2.0, label=one["name"])


def _points(one: Mapping[str, Any]) -> tuple[list[float], list[float]]:
    return _numbers(one["x"]), _numbers(one["y"])


def _errors(one: Mapping[str, Any]) -> list[float] | None:
    return None if one["error"] is None else _numbers(one["error"])


def _numbers(values: Sequence[float | None]) -> list[float]:
    """Return the values with a gap where one is undefined."""
    return [float("nan") if value is None else float(value) for value in values]
