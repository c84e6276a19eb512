"""The choice inside every external training part, and what became of it outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from thetahat.analyses.selection.choosing import Choice, choose
from thetahat.analyses.selection.internal import InternalEstimate
from thetahat.cross_validation import SplitOutcome
from thetahat.values.json_values import plain
from thetahat.values.types import FloatArray

SELECTED: Final = "selected"
"""What the procedure is called among the models: select, then learn from the whole part."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Candidate:
    """What one candidate gave under the external splits.

    Parameters
    ----------
    external : ndarray of float
        (J,) mean loss, or metric, on each external test part, learnt from the whole external
        training part; NaN where a metric is undefined.
    internal : sequence of InternalEstimate
        Inside each external training part, in the same order.
    """

    external: FloatArray
    internal: Sequence[InternalEstimate]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class External:
    """The procedure under the external splits.

    Parameters
    ----------
    choices : tuple of Choice
        (J,) by external split.
    internal, external : ndarray of float
        (J,) internal and external error (or metric) of the chosen candidate.
    candidates : mapping of str to Candidate
        In the request's order.
    """

    choices: tuple[Choice, ...]
    internal: FloatArray
    external: FloatArray
    candidates: Mapping[str, Candidate]

    def wins(self) -> dict[str, int]:
        """Return how often each candidate was chosen."""
        counts = dict.fromkeys(self.candidates, 0)
        for choice in self.choices:
            counts[choice.name] += 1
        return counts

    def splits_told(self, outcomes: Sequence[SplitOutcome]) -> list[dict[str, Any]]:
        """Return every external split's choice, with its internal and external error.

        Parameters
        ----------
        outcomes : sequence of SplitOutcome
            (J,) those of the chosen candidates.
        """
        return [
            plain(
                {
                    "repeat": outcome.repeat,
                    "block": outcome.label,
                    "winner": choice.name,
                    "least": choice.least,
                    "tied": choice.tied,
                    "internal": self.internal[at],
                    "internal_standard_error": self.candidates[choice.name]
                    .internal[at]
                    .standard_error,
                    "external": self.external[at],
                    "n_train": outcome.n_train,
                    "n_test": len(outcome.test),
                }
            )
            for at, (choice, outcome) in enumerate(zip(self.choices, outcomes, strict=True))
        ]

    def candidates_told(self, *, splits: bool = True) -> dict[str, Any]:
        """Return each candidate's wins, and its internal and external error, by split if asked."""
        wins = self.wins()
        return {
            name: plain(
                {
                    "wins": wins[name],
                    "internal": [e.mean for e in candidate.internal] if splits else None,
                    "external": candidate.external if splits else None,
                }
            )
            for name, candidate in self.candidates.items()
        }

    def gap(self) -> float | None:
        """Return the mean of external minus internal error; None where none is defined."""
        return _mean_gap(self.external, self.internal)

    def parts_of_gap(self) -> tuple[float, float] | None:
        """Return the gap that is there without a choice, and what choosing adds to it.

        The first is the mean gap of candidates taken as given, as often as each was chosen:
        nothing is chosen within one candidate, so its external minus its internal error is due to
        what else differs, above all the rows learnt from. None for one external split, in which
        the two cannot be told apart.
        """
        J, found = len(self.choices), self.gap()
        if J == 1 or found is None:
            return None
        without = 0.0
        for name, count in self.wins().items():
            if count:
                one = self.candidates[name]
                inside = np.array([estimate.mean for estimate in one.internal])
                gap = _mean_gap(one.external, inside)
                if gap is None:
                    return None
                without += gap * count / J
        return without, found - without


def _mean_gap(external: FloatArray, internal: FloatArray) -> float | None:
    gaps = external - internal
    known = gaps[~np.isnan(gaps)]
    return float(known.mean()) if len(known) else None


def select_in_each(
    candidates: Mapping[str, Candidate], rule: str, *, higher_is_better: bool = False
) -> External:
    """Choose inside every external training part, by what is known inside it alone."""
    n_splits = len(next(iter(candidates.values())).internal)
    choices = tuple(
        choose(
            {name: c.internal[at] for name, c in candidates.items()},
            rule,
            higher_is_better=higher_is_better,
        )
        for at in range(n_splits)
    )
    won = [(candidates[choice.name], at) for at, choice in enumerate(choices)]
    return External(
        choices=choices,
        internal=np.array([one.internal[at].mean for one, at in won]),
        external=np.array([one.external[at] for one, at in won]),
        candidates=candidates,
    )
