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
_LEGEND_LETTERS: Final = 100  # letters that fill the width of the page
_LEGEND_GAP: Final = 10  # of them, for the line and the space between two names
_LEGEND_ROW: Final = 0.2  # inches
_MOST_MARKED: Final = 60  # points of a line that are marked one by one
_DRAWING: Final = threading.Lock()  # matplotlib is not made for threads


def draw(figure: Mapping[str, Any], form: FigureFormat) -> bytes:
    """Draw a figure as the result has it; the same numbers give the same bytes.

    Parameters
    ----------
    figure : mapping
        ``title``, the axes ``x`` and ``y``, ``all_series``, as ``thetahat.analyses.studies.Figure``
        describes them.
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
            names = [series["name"] for series in figure["series"]]
            columns = max(1, _LEGEND_LETTERS // (max(map(len, names), default=0) + _LEGEND_GAP))
            width, height = INCHES
            height += _LEGEND_ROW * -(-len(names) // columns)
            paper = Figure(figsize=(width, height), layout="constrained")
            _fill(paper.add_subplot(), figure)
            if len(names) > 1:  # below the axes, where the legend hides no data
                paper.legend(loc="outside lower center", ncols=columns, fontsize=8.5)
            image = io.BytesIO()
            metadata = {"Date": None} if form == "svg" else {}
            paper.savefig(image, format=form, dpi=DOTS_PER_INCH, metadata=metadata)
    return image.getvalue()


def _fill(axes: Axes, figure: Mapping[str, Any]) -> None:
    all_series = figure["series"]
    bars = [series for series in all_series if series["style"] == "bars"]
    n_dashed = sum(series["style"] == "dashed" for series in all_series)
    dashed = colours = 0
    for number, series in enumerate(all_series):
        if series["style"] == "dashed":
            # a single dashed line is the reference of all others; several have one colour each
            _dashed(axes, series, COLOURS[dashed % len(COLOURS)] if n_dashed > 1 else "#333333")
            dashed += 1
            continue
        colour = COLOURS[colours % len(COLOURS)]
        colours += 1
        if series["style"] == "bars":
            _bars(axes, series, bars.index(series), len(bars), colour)
        else:
            _line(axes, series, number, colour)
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
    if description["scale"] == "log":  # matplotlib's own tick labels would be formulas
        axis.set_major_formatter(LogFormatter())
        axis.set_minor_formatter(NullFormatter())
        low, high = sorted(axis.get_view_interval())
        ticks = log_ticks(low, high)
        if ticks:
            axis.set_ticks(ticks, [f"{value:.6g}" for value in ticks])
    if description["labels"]:
        axis.set_ticks(range(len(description["labels"])), description["labels"])


def _line(axes: Axes, series: Mapping[str, Any], number: int, colour: str) -> None:
    x, y = _points(series)
    is_line = series["style"] == "line"
    marked = not is_line or len(x) <= _MOST_MARKED
    axes.errorbar(
        x,
        y,
        yerr=_errors(series),
        color=colour,
        linestyle="-" if is_line else "none",
        linewidth=1.4,
        marker=_MARKS[number % len(_MARKS)] if marked else "none",
        markerfacecolor=colour if number < len(_MARKS) else "none",  # a second round is hollow
        markersize=4.0,
        capsize=2.0,
        elinewidth=0.9,
        label=series["name"],
    )


def _dashed(axes: Axes, series: Mapping[str, Any], colour: str) -> None:
    axes.errorbar(
        *_points(series), color=colour, linestyle="--", linewidth=1.2, label=series["name"]
    )


def _bars(axes: Axes, series: Mapping[str, Any], which: int, n: int, colour: str) -> None:
    x, y = _points(series)
    width = 0.8 / n
    shifted = [at + (which - (n - 1) / 2) * width for at in x]
    errors = _errors(series)
    axes.bar(shifted, y, width, yerr=errors, color=colour, capsize=2.0, label=series["name"])


def _points(series: Mapping[str, Any]) -> tuple[list[float], list[float]]:
    return _numbers(series["x"]), _numbers(series["y"])


def _errors(series: Mapping[str, Any]) -> list[float] | None:
    return None if series["error"] is None else _numbers(series["error"])


def _numbers(values: Sequence[float | None]) -> list[float]:
    """Return the values with NaN, which draws a gap, in place of None."""
    return [float("nan") if value is None else float(value) for value in values]
