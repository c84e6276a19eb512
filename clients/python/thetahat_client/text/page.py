"""Tables, paragraphs and numbers as text."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypedDict

WIDTH: Final = 96
GAP: Final = "  "  # between columns
UNBREAKABLE: Final = "\N{NO-BREAK SPACE}"
SCIENTIFIC_FROM: Final = 1e12
"""Numbers of that size and larger are written with a power of ten."""
_SPACE_IN_NUMBER: Final = re.compile(r"(?<=\d) (?=\d{3}(?!\d))| (?=%)")
ROUNDING: Final = 2.0**-49
"""Relative size of the rounding error of a mean, at which a difference counts as 0."""


class IntervalEnds(TypedDict):
    """The ends of an interval; one that is open or undefined is None."""

    lower: float | None
    upper: float | None


@dataclass(frozen=True, slots=True)
class Page:
    """The widths of the page that is written.

    Parameters
    ----------
    prose : int
        Characters of the longest line of prose.
    table : int or None
        Characters of the widest table: wider ones are folded. None for tables as wide as they are.
    block, blocks : str
        What one source of the result is called, and several.
    all_option : str
        How the reader gets what is left out.
    """

    prose: int = WIDTH
    table: int | None = None
    block: str = "source"
    blocks: str = "sources"
    all_option: str = "show_all=True or --all"

    def format_paragraphs(
        self, sentences: Iterable[str], bullet: str = "- ", indent: str = "  "
    ) -> list[str]:
        """Return each sentence wrapped; a number keeps its percent sign."""
        return [
            textwrap.fill(
                _bind_numbers(sentence),
                self.prose,
                initial_indent=bullet,
                subsequent_indent=indent,
                break_long_words=False,
                break_on_hyphens=False,
            ).replace(UNBREAKABLE, " ")
            for sentence in sentences
        ]

    def format_title(self, text: str) -> str:
        """Return the title of a table or of a section."""
        return text

    def format_section(self, title: str, sentences: Sequence[str]) -> str:
        """Return sentences as a list under a title; nothing where there are none."""
        return (
            "\n".join([self.format_title(title), *self.format_paragraphs(sentences)])
            if sentences
            else ""
        )

    def format_table(
        self, header: Sequence[str], rows: Sequence[Sequence[str]], notes: Iterable[str] = ()
    ) -> str:
        """Return columns under their headings, the first to the left and the others to the right.

        A table that is too wide is folded: first the headings and cells between their words, then
        the table itself into several, one below the other, each with the first column.

        Parameters
        ----------
        header : sequence of str
            Headings, one a column.
        rows : sequence of sequence of str
            Cells, one a column.
        notes : iterable of str
            Sentences below the table.
        """
        lines = [header, *rows]
        columns = [[line[position] for line in lines] for position in range(len(header))]
        narrowest = [max(_find_longest_word(cell) for cell in column) for column in columns]
        tables = []
        for group in self._group_columns(narrowest):
            widths = self._fold([columns[i] for i in group], [narrowest[i] for i in group])
            tables.append(_render([[line[i] for i in group] for line in lines], widths))
        return "\n".join(["\n\n".join(tables), *self.format_paragraphs(notes, bullet="")])

    def _group_columns(self, narrowest: Sequence[int]) -> list[list[int]]:
        """Return which columns go into which table, the first one into each."""
        groups: list[list[int]] = [[0]]
        for position in range(1, len(narrowest)):
            group = [*groups[-1], position]
            total = sum(narrowest[i] for i in group) + len(GAP) * (len(group) - 1)
            if self.table is None or total <= self.table or len(groups[-1]) == 1:
                groups[-1] = group
            else:
                groups.append([0, position])
        return groups

    def _fold(self, columns: Sequence[Sequence[str]], narrowest: Sequence[int]) -> list[int]:
        """Return the widths of columns, of which the widest give way until the table fits."""
        widths = [max(map(len, column)) for column in columns]
        room = None if self.table is None else self.table - len(GAP) * (len(columns) - 1)
        while room is not None and sum(widths) > room:
            wide = [i for i in range(len(widths)) if widths[i] > narrowest[i]]
            if not wide:
                break
            widths[max(wide, key=lambda i: widths[i])] -= 1
        return widths


def format_number(value: float | None) -> str:
    """Return four significant digits, or ``undefined``; a whole part below 10^6 is kept whole."""
    if value is None:
        return "undefined"
    if not 9999.5 <= abs(value) < SCIENTIFIC_FROM:
        return f"{value:#.4g}".rstrip(".") if value else "0"
    digits = 0 if abs(value) < 1e6 else 3 - math.floor(math.log10(abs(value)))
    return _format_decimals(round(value, digits), 0)


def _format_decimals(value: float, decimals: int) -> str:
    """Return a number with that many decimals, and spaces between thousands from 10 000 on."""
    text = f"{value:,.{decimals}f}" if abs(value) >= 9999.5 else f"{value:.{decimals}f}"
    return text.replace(",", " ")


def format_difference(value: float | None, scale: float | None) -> str:
    """Return a difference with four significant digits; 0 where it is the rounding of its terms.

    Parameters
    ----------
    value : float or None
        The difference.
    scale : float or None
        The larger of the numbers that were subtracted.
    """
    if value is not None and scale is not None and abs(value) <= ROUNDING * abs(scale):
        return "0"
    return format_number(value)


def format_interval(interval: IntervalEnds | None) -> str:
    """Return both ends of an interval; an open end has no number."""
    if interval is None:
        return "none"
    return format_ends(interval["lower"], interval["upper"])


def format_ends(lower: float | None, upper: float | None) -> str:
    """Return the ends of an interval; an open end has no number."""
    if lower is None and upper is None:
        return "undefined"
    if lower is None:
        return f"below {format_number(upper)}"
    if upper is None:
        return f"above {format_number(lower)}"
    largest = max(abs(lower), abs(upper))
    if lower < upper and 1 <= largest < SCIENTIFIC_FROM:
        decimals = 1 - math.floor(math.log10(upper - lower))  # two digits of the width
        if decimals > max(0, 3 - math.floor(math.log10(largest))):
            return " to ".join(_format_decimals(end, decimals) for end in (lower, upper))
    return f"{format_number(lower)} to {format_number(upper)}"


def format_p_value(p_value: float | None) -> str:
    """Return ``0.013`` or ``< 0.001``, for a column of p-values."""
    if p_value is None:
        return "undefined"
    return "< 0.001" if p_value < 0.001 else f"{p_value:.2g}"


def format_level(level: float) -> str:
    """Return a level or a share in per cent."""
    return f"{100 * level:g} %"


def _find_longest_word(cell: str) -> int:
    return max((len(word) for word in _split_words(cell)), default=0)


def _split_words(cell: str) -> list[str]:
    return _bind_numbers(cell).split(" ")


def _bind_numbers(text: str) -> str:
    """Return the text with unbreakable spaces between thousands and before per cent signs."""
    return _SPACE_IN_NUMBER.sub(UNBREAKABLE, text)


def _render(lines: Sequence[Sequence[str]], widths: Sequence[int]) -> str:
    header, *rows = lines
    rendered = []
    for line in [header, ["-" * width for width in widths], *rows]:
        cells = [_fold_cell(cell, width) for cell, width in zip(line, widths, strict=True)]
        for i in range(max(map(len, cells))):
            parts = [cell[i] if i < len(cell) else "" for cell in cells]
            aligned = [parts[0].ljust(widths[0])]
            aligned += [p.rjust(w) for p, w in zip(parts[1:], widths[1:], strict=True)]
            rendered.append(GAP.join(aligned).rstrip())
    return "\n".join(rendered)


def _fold_cell(cell: str, width: int) -> list[str]:
    """Return the lines of a cell."""
    lines = [""]
    for word in _split_words(cell):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if len(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return [line.replace(UNBREAKABLE, " ") for line in lines]
