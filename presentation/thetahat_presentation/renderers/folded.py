"""Documents whose findings are open, and whose other parts a reader opens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from thetahat_presentation.document import Document, count_cautions
from thetahat_presentation.renderers.text import LIMITS, Page


@dataclass(frozen=True, slots=True)
class FoldedPage(Page):
    """Writes the findings of a document, and below them the rest, each sentence once."""

    def _iterate_rest(self, document: Document) -> Iterator[str]:
        """Yield the parts that a reader opens."""
        rest = document.rest
        numbers = [part for part in self._iterate_numbers(rest, show_all=False) if part]
        if numbers:
            yield self.fold("All verdicts and tables", self.join(numbers))
        if limits := self._list_limits(rest, show_all=True):
            title = count_cautions(rest.cautions) if rest.cautions else LIMITS
            yield self.fold(title, self.format_list(limits))

    def join(self, parts: list[str]) -> str:
        """Return the parts of a document, one below the other."""
        return "\n\n".join(parts)

    def fold(self, title: str, text: str) -> str:
        """Return a text that is opened by its title."""
        raise NotImplementedError
