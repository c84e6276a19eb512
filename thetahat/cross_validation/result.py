"""The parts of a result that say how each learner ran: its fits, or why it failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from thetahat.errors import Loc

FitPath: TypeAlias = Literal["fast", "plain", "mixed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerFits:
    """How the splits of one learner were predicted."""

    path: FitPath
    """``fast`` if no split needed a fit of its own, ``plain`` if every split did, else
    ``mixed``."""
    fast_splits: int
    """Number of splits that were predicted from quantities which all splits share."""
    plain_splits: int
    """Number of splits on which the learner was fitted."""
    reason: str | None
    """Why the learner was fitted on splits, the most frequent reason first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerFailure:
    """Why a learner is not part of the result."""

    code: str
    """The code of the error."""
    message: str
    """Its sentence."""
    loc: Loc
    """The path of the learner in the request."""
    candidates: int | None = None
    """Number of candidates, where all candidates of a grid failed."""

    def name_learner(self, name: str) -> str:
        """Return the sentence, which begins with the name of the learner."""
        start = f"Learner {name!r}"
        text = self.message if self.message.startswith(start) else f"{start}: {self.message}"
        return f"{text.rstrip(' .')}."


def summarise_fits(reasons: Sequence[str | None]) -> LearnerFits:
    """Count the splits of one learner that were predicted with and without a fit.

    ``reasons`` says of each split why the learner was fitted on it; None if it was not fitted.
    """
    counts = Counter(reason for reason in reasons if reason is not None)
    n_plain = counts.total()
    n_fast = len(reasons) - n_plain
    by_frequency = sorted(counts, key=lambda reason: (-counts[reason], reason))
    return LearnerFits(
        path="mixed" if n_fast and n_plain else "plain" if n_plain else "fast",
        fast_splits=n_fast,
        plain_splits=n_plain,
        reason="; ".join(by_frequency) or None,
    )
