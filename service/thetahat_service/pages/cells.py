"""Cells of tables as pages have them: texts, drawn intervals, and coloured decisions."""

from __future__ import annotations

from typing import Final

from markupsafe import Markup, escape

from thetahat_presentation.document import Bar, Cell, Decision
from thetahat_presentation.renderers.cells import cell_text
from thetahat_presentation.renderers.html import typeset_cell

WIDTH: Final = 220
HEIGHT: Final = 18
EDGE: Final = 5
"""Room beside the drawing for the point and the ends."""
ARROW: Final = 4


def write_cell(cell: Cell) -> str:
    """Return what a page has of a cell."""
    if isinstance(cell, Bar):
        return draw_interval(cell)
    if isinstance(cell, Decision):
        name = escape(cell.value)
        return Markup('<span class="decision decision-{}">{}</span>').format(name, cell_text(cell))
    return typeset_cell(cell)


def draw_interval(bar: Bar) -> Markup:
    """Return an interval as a line with a point; an open end has an arrow.

    The numbers are in another cell of its row, so it is not read aloud.
    """
    middle, parts = HEIGHT // 2, []
    if bar.lower is not None or bar.upper is not None:
        left = EDGE if bar.lower is None else _place(bar, bar.lower)
        right = WIDTH - EDGE if bar.upper is None else _place(bar, bar.upper)
        parts.append(f"M{left:g} {middle}H{right:g}")
        for end, place, inward in ((bar.lower, left, ARROW), (bar.upper, right, -ARROW)):
            if end is None:
                parts.append(f"M{place + inward:g} {middle - 4}L{place:g} {middle}")
                parts.append(f"L{place + inward:g} {middle + 4}")
            else:
                parts.append(f"M{place:g} {middle - 4}V{middle + 4}")
    line = Markup('<path d="{}"/>').format("".join(parts)) if parts else Markup()
    point = Markup()
    if bar.estimate is not None:
        centre = f"{_place(bar, bar.estimate):g}"
        point = Markup('<circle cx="{}" cy="{}" r="4"/>').format(centre, middle)
    return Markup(
        '<svg class="interval" width="{0}" height="{1}" viewBox="0 0 {0} {1}" aria-hidden="true">'
        "{2}{3}</svg>"
    ).format(WIDTH, HEIGHT, line, point)


def _place(bar: Bar, value: float) -> float:
    room = WIDTH - 2 * EDGE
    if bar.stop <= bar.start:
        return WIDTH / 2
    return round(EDGE + (value - bar.start) / (bar.stop - bar.start) * room, 1)
