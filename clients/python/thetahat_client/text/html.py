"""A result as HTML, for the output of a notebook's cell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from thetahat_client.text.page import Page

# The colours are those of the notebook, so that light and dark themes both work.
STYLE: Final = (
    "<style>"
    ".thetahat table{border-collapse:collapse;margin:.6em 0;color:inherit;"
    "font-variant-numeric:tabular-nums}"
    ".thetahat th,.thetahat td{padding:.2em .8em;text-align:right;color:inherit;"
    "background:transparent;border:0;border-bottom:1px solid rgba(128,128,128,.4)}"
    ".thetahat th:first-child{text-align:left}"
    ".thetahat tbody th{font-weight:normal}"
    ".thetahat p,.thetahat li{max-width:48em}"
    ".thetahat .note{font-size:90%;margin:.1em 0}"
    "</style>"
)


@dataclass(frozen=True, slots=True)
class HtmlPage(Page):
    """Writes tables and paragraphs as HTML, in which every text is escaped."""

    def format_paragraphs(
        self, sentences: Iterable[str], bullet: str = "- ", indent: str = "  "
    ) -> list[str]:
        """Return each sentence as a paragraph."""
        del bullet, indent
        return [f"<p>{self._escape(sentence)}</p>" for sentence in sentences]

    def format_title(self, text: str) -> str:
        """Return the title of a table or of a section."""
        return f"<h4>{self._escape(text)}</h4>"

    def format_section(self, title: str, sentences: Sequence[str]) -> str:
        """Return sentences as a list under a title; nothing where there are none."""
        if not sentences:
            return ""
        items = "".join(f"<li>{self._escape(sentence)}</li>" for sentence in sentences)
        return f"{self.format_title(title)}<ul>{items}</ul>"

    def format_table(
        self, header: Sequence[str], rows: Sequence[Sequence[str]], notes: Iterable[str] = ()
    ) -> str:
        """Return a table, the first column to the left and the others to the right."""
        head = "".join(f'<th scope="col">{self._escape(cell)}</th>' for cell in header)
        body = "".join(f"<tr>{self._format_row(row)}</tr>" for row in rows)
        below = "".join(f'<p class="note">{self._escape(note)}</p>' for note in notes)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"

    def _format_row(self, row: Sequence[str]) -> str:
        first, *other_cells = (self._escape(cell) for cell in row)
        return f'<th scope="row">{first}</th>' + "".join(f"<td>{cell}</td>" for cell in other_cells)

    def _escape(self, text: str) -> str:
        return escape(text)
