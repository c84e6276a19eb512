"""A document as Markdown, for pull requests and notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from thetahat_presentation.document import Table
from thetahat_presentation.hidden_characters import show_hidden
from thetahat_presentation.renderers.cells import cell_text
from thetahat_presentation.renderers.folded import FoldedPage

_SPECIAL: Final = str.maketrans({character: f"\\{character}" for character in r"\|*_`<>[]#"})


@dataclass(frozen=True, slots=True)
class MarkdownPage(FoldedPage):
    """Writes documents as Markdown (with GitHub's tables), without folding lines."""

    def fold(self, title: str, text: str) -> str:
        """Return a text that is opened by its title."""
        return f"<details><summary>{escape_markdown(title)}</summary>\n\n{text}\n\n</details>"

    def format_paragraphs(
        self, sentences: Iterable[str], bullet: str = "- ", indent: str = "  "
    ) -> list[str]:
        """Return each sentence as an item of a list, or as a paragraph without ``bullet``."""
        del indent
        return [bullet + escape_markdown(sentence) for sentence in sentences]

    def format_title(self, text: str) -> str:
        """Return the title of a table or of a section, as a heading."""
        return f"### {escape_markdown(text)}\n"

    def format_table(self, table: Table) -> str:
        """Return a table, the columns of numbers to the right; nothing is drawn."""
        table = table.without_bars()
        marks = ["--:" if i in table.numbers else ":--" for i in range(len(table.columns))]
        rows = [_format_row([cell_text(cell) for cell in row]) for row in table.rows]
        lines = [
            self.format_title(table.caption),
            _format_row(table.columns),
            f"|{'|'.join(marks)}|",
        ]
        notes = self.format_paragraphs(table.notes)
        return "\n".join([*lines, *rows, *(["", *notes] if notes else [])])


def _format_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(escape_markdown, cells))} |"


def escape_markdown(text: str) -> str:
    """Return a text in which no character is markup."""
    return " ".join(show_hidden(text).translate(_SPECIAL).split())
