"""The findings as a forest plot of matplotlib: a mean and an interval for each model."""

from __future__ import annotations

from textwrap import fill
from typing import Any, Final

from thetahat_presentation.document import Bar, Document, Name
from thetahat_presentation.renderers.cells import cell_text
from thetahat_presentation.wording import capitalise

WIDTH_IN: Final = 7.0
ROW_IN: Final = 0.35
MARGINS_IN: Final = 1.6
TITLE: Final = 70
"""Characters of a line of the title."""
COLOUR: Final = "C0"


def draw_forest(document: Document, axes: Any = None) -> Any:
    """Draw the means and intervals of the findings, and return the axes.

    Parameters
    ----------
    document : Document
        A result as it is shown.
    axes : matplotlib.axes.Axes or None
        Where it is drawn; None for a new figure.

    Raises
    ------
    ImportError
        matplotlib is not installed.
    ValueError
        The findings have no intervals.
    """
    found = next((table for table in document.findings.tables if table.bars), None)
    if found is None:
        message = "The findings of this result have no intervals of models, so nothing is drawn."
        raise ValueError(message)
    place = min(found.bars)
    rows = [(cell_text(row[0]), row[place]) for row in found.rows if isinstance(row[0], Name)]
    if axes is None:
        axes = _make_axes(len(rows))
    for position, (_, bar) in enumerate(rows):
        if isinstance(bar, Bar):
            _draw_bar(axes, bar, position)
    axes.set_yticks(range(len(rows)), labels=[name for name, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel(f"{found.caption}, {found.columns[place - 1]}s")
    axes.set_title(fill(capitalise(document.headline), TITLE), loc="left", wrap=True)
    return axes


def _draw_bar(axes: Any, bar: Bar, position: int) -> None:
    """Draw an interval as a line with a point; an open end has an arrow."""
    if bar.lower is not None or bar.upper is not None:
        left = bar.start if bar.lower is None else bar.lower
        right = bar.stop if bar.upper is None else bar.upper
        axes.plot([left, right], [position, position], color=COLOUR)
        for end, at, arrow in ((bar.lower, left, "<"), (bar.upper, right, ">")):
            axes.plot([at], [position], arrow if end is None else "|", color=COLOUR)
    if bar.estimate is not None:
        axes.plot([bar.estimate], [position], "o", color=COLOUR)


def _make_axes(n_rows: int) -> Any:
    try:
        from matplotlib import pyplot as plt  # noqa: PLC0415 - only for plots
    except ImportError:
        raise ImportError(
            "plot() draws with matplotlib, which is not installed: pip install "
            "'thetahat-presentation[plot]', or pip install matplotlib."
        ) from None
    height = MARGINS_IN + ROW_IN * n_rows
    return plt.subplots(figsize=(WIDTH_IN, height), layout="constrained")[1]
