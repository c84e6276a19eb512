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

    def format_paragraphs(
        self, sentences: Iterable[str], bullet: str = "- ", indent: str = "  "
    ) -> list[str]:
        """Return each sentence as an item of a list, or as a paragraph without ``bullet``."""
        del indent
        return [bullet + self._escape(sentence) for sentence in sentences]

    def format_title(self, text: str) -> str:
        """Return the title of a table or of a section, as a heading."""
        return f"### {self._escape(text)}\n"

    def format_section(self, title: str, sentences: Sequence[str]) -> str:
        """Return sentences as a list under a heading; nothing where there are none."""
        if not sentences:
            return ""
        return "\n".join([self.format_title(title), *self.format_paragraphs(sentences)])

    def format_table(
        self, header: Sequence[str], rows: Sequence[Sequence[str]], notes: Iterable[str] = ()
    ) -> str:
        """Return a table, the first column to the left and the others to the right."""
        lines = [
            self._format_row(header),
            "|:--|" + "--:|" * (len(header) - 1),
            *map(self._format_row, rows),
        ]
        listed = self.format_paragraphs(notes)
        return "\n".join([*lines, *(["", *listed] if listed else [])])

    def _format_row(self, cells: Sequence[str]) -> str:
        return f"| {' | '.join(self._escape(cell) for cell in cells)} |"

    def _escape(self, text: str) -> str:
        return escape_markdown(text)


def escape_markdown(text: str) -> str:
    """Return a text in which no character is markup."""
    return " ".join(text.translate(_SPECIAL).split())
