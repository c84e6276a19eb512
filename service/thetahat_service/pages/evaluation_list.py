"""What the list of evaluations shows of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from thetahat_presentation.parts.headlines import describe_best
from thetahat_presentation.showing import name_evaluation


@dataclass(frozen=True, slots=True, kw_only=True)
class ListEntry:
    """One evaluation in the list."""

    row: Any
    """Its row, of a layer that pages do not import."""
    title: str
    """Its name, or its kind and models if it has no name."""
    headline: str
    """The verdict, or why it failed; empty while it runs."""
    best: str
    """The mean of the best of several models; empty without them."""

    @property
    def is_open(self) -> bool:
        """Whether the evaluation waits or runs."""
        return self.row.status in {"queued", "running"}

    @property
    def can_compare(self) -> bool:
        """Whether it can be put beside another evaluation."""
        return self.row.summary is not None


def describe_entry(row: Any, outcome: str = "") -> ListEntry:
    """Return what the list shows of an evaluation, from its row.

    ``outcome`` is the headline of a result of an older release, whose row has none.
    """
    headline = row.headline or outcome
    if row.error is not None:
        headline = str(row.error.get("detail", ""))
    title = name_evaluation(row.name, row.kind, row.id, row.summary)
    best = describe_best(row.summary) if row.summary is not None else ""
    return ListEntry(row=row, title=title, headline=headline, best=best)
