"""Intervals drawn in characters, all on the scale of their column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from thetahat_presentation.document import Bar

WIDEST: Final = 30
"""Characters of the widest drawing."""
NARROWEST: Final = 10
BLANK: Final = "\N{NO-BREAK SPACE}"
"""Keeps its width in a cell that is folded between words."""


@dataclass(frozen=True, slots=True)
class Marks:
    """The characters of a drawing."""

    line: str
    left: str
    right: str
    point: str
    open_left: str
    open_right: str


BOX: Final = Marks("─", "├", "┤", "●", "←", "→")
ASCII: Final = Marks("-", "|", "|", "o", "<", ">")


def draw_bar(bar: Bar, width: int = WIDEST, marks: Marks = BOX) -> str:
    """Return an interval as a line with a point; an open end has an arrow.

    Parameters
    ----------
    bar : Bar
        The interval.
    width : int
        Characters from the start to the stop of the scale.
    marks : Marks
        What is drawn with.
    """
    drawing = [BLANK] * width
    if bar.lower is not None or bar.upper is not None:
        first = 0 if bar.lower is None else _find_place(bar, bar.lower, width)
        last = width - 1 if bar.upper is None else _find_place(bar, bar.upper, width)
        drawing[first : last + 1] = marks.line * (last + 1 - first)
        drawing[first] = marks.open_left if bar.lower is None else marks.left
        drawing[last] = marks.open_right if bar.upper is None else marks.right
    if bar.estimate is not None:
        drawing[_find_place(bar, bar.estimate, width)] = marks.point
    return "".join(drawing)


def _find_place(bar: Bar, value: float, width: int) -> int:
    if bar.stop <= bar.start:
        return width // 2
    return round((value - bar.start) / (bar.stop - bar.start) * (width - 1))
