"""A document as HTML, for the output of a notebook's cell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from thetahat_presentation.document import Cell, Document, Table
from thetahat_presentation.numbers import set_minus
from thetahat_presentation.renderers.cells import cell_text, is_numeric
from thetahat_presentation.renderers.folded import FoldedPage

_PERCENT: Final = re.compile(r"(?<=\d) %")
_THOUSANDS: Final = re.compile(r"(?<=\d) (?=\d{3}\b)")
_NEGATIVE: Final = re.compile(
    r"(\b(?:is|to|of|be|from|interval|median|probability|difference,?) |\((?=-[\d.]+ to ))-(?=\d)"
)
"""The hyphen of a negative number in a sentence; a hyphen in a name stays."""

# The colours are those of the notebook, so that light and dark themes both work.
STYLE: Final = (
    "<style>"
    ".thetahat table{border-collapse:collapse;margin:.6em 0;color:inherit;"
    "font-variant-numeric:tabular-nums}"
    ".thetahat th,.thetahat td{padding:.2em .8em;text-align:left;color:inherit;"
    "background:transparent;border:0;border-bottom:1px solid rgba(128,128,128,.4)}"
    ".thetahat .number{text-align:right}.thetahat caption{text-align:left}"
    ".thetahat tbody th{font-weight:normal}"
    ".thetahat p,.thetahat li{max-width:48em}"
    ".thetahat .bar{white-space:pre;font-family:monospace}.thetahat summary{cursor:pointer}"
    ".thetahat .note{font-size:90%;margin:.1em 0}"
    "</style>"
)


@dataclass(frozen=True, slots=True)
class HtmlPage(FoldedPage):
    """Writes documents as HTML, in which every text is escaped."""

    def write(self, document: Document, *, show_all: bool = False) -> str:
        """Return a document as one element with its own style; what is more is folded."""
        parts = self._choose_parts(document, show_all=show_all)
        return f'<div class="thetahat">{STYLE}{"".join(parts)}</div>'

    def join(self, parts: list[str]) -> str:
        """Return the parts of a document, one below the other."""
        return "".join(parts)

    def fold(self, title: str, text: str) -> str:
        """Return a text that is opened by its title."""
        return f"<details><summary>{escape(title)}</summary>{text}</details>"

    def format_paragraphs(
        self, sentences: Iterable[str], bullet: str = "- ", indent: str = "  "
    ) -> list[str]:
        """Return each sentence as a paragraph, or as an item of a list with ``bullet``."""
        del indent
        tag = "li" if bullet else "p"
        return [f"<{tag}>{escape(typeset(sentence))}</{tag}>" for sentence in sentences]

    def format_list(self, sentences: Sequence[str]) -> str:
        """Return sentences as a list; nothing where there are none."""
        return f"<ul>{''.join(self.format_paragraphs(sentences))}</ul>" if sentences else ""

    def format_title(self, text: str) -> str:
        """Return the title of a table or of a section."""
        return f"<h4>{escape(text)}</h4>"

    def format_table(self, table: Table) -> str:
        """Return a table, the columns of numbers to the right."""
        head = "".join(f'<th scope="col">{escape(column)}</th>' for column in table.columns)
        body = "".join(f"<tr>{_format_row(table, row)}</tr>" for row in table.rows)
        below = "".join(f'<p class="note">{escape(typeset(note))}</p>' for note in table.notes)
        caption = f"<caption>{escape(table.caption)}</caption>"
        head = f"<thead><tr>{head}</tr></thead>"
        return f"<table>{caption}{head}<tbody>{body}</tbody></table>{below}"


def _format_row(table: Table, row: Sequence[Cell]) -> str:
    first, *others = (escape(typeset_cell(cell)) for cell in row)
    classes = dict.fromkeys(table.numbers, ' class="number"')
    classes |= dict.fromkeys(table.bars, ' class="bar"')
    cells = [f"<td{classes.get(place, '')}>{cell}</td>" for place, cell in enumerate(others, 1)]
    return f'<th scope="row">{first}</th>{"".join(cells)}'


def typeset(sentence: str) -> str:
    """Return a sentence with minus signs; no line break divides percentages and thousands."""
    text = _PERCENT.sub("\N{NO-BREAK SPACE}%", sentence)
    text = _THOUSANDS.sub("\N{NO-BREAK SPACE}", text)
    return _NEGATIVE.sub("\\1\N{MINUS SIGN}", text)


def typeset_cell(cell: Cell) -> str:
    """Return the text of a cell; in names nothing is changed."""
    text = cell_text(cell)
    return typeset(set_minus(text)) if is_numeric(cell) else text
