"""A result as Markdown, for pull requests and notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from thetahat_client.text.page import Page

_SPECIAL: Final = str.maketrans({character: f"\\{character}" for character in r"\|*_`<>[]#"})


@dataclass(frozen=True, slots=True)
class MarkdownPage(Page):
    """Writes tables and paragraphs as Markdown (GitHub's tables), without folding lines."""

    def paragraphs(
        self, sentences: Iterable[str], bullet: str = "- ", indent: str = "  "
    ) -> list[str]:
        """Return each sentence as an item of a list, or as a paragraph without ``bullet``."""
        del indent
        return [bullet + escape_markdown(sentence) for sentence in sentences]

    def section(self, title: str, sentences: Sequence[str]) -> str:
        """Return sentences as a list under a heading; nothing where there are none."""
        if not sentences:
            return ""
        return "\n".join([f"### {escape_markdown(title)}", "", *self.paragraphs(sentences)])

    def table_of(
        self, header: Sequence[str], rows: Sequence[Sequence[str]], notes: Iterable[str] = ()
    ) -> str:
        """Return a table, the first column to the left and the others to the right."""
        lines = [_row(header), "|:--|" + "--:|" * (len(header) - 1), *map(_row, rows)]
        listed = self.paragraphs(notes)
        return "\n".join([*lines, *(["", *listed] if listed else [])])


def escape_markdown(text: str) -> str:
    """Return a text in which no character is markup."""
    return " ".join(text.translate(_SPECIAL).split())


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(escape_markdown(cell) for cell in cells)} |"
