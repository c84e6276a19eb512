"""The choice inside every external training part, and what became of it outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from thetahat.evaluation.plain import plain
from thetahat.resampling import SplitOutcome
from thetahat.selecting.choosing import Choice, choose
from thetahat.selecting.internal import InternalEstimate
from thetahat.types import FloatArray

SELECTED: Final = "selected"
"""What the procedure is called among the models: select, then learn from the whole part."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Candidate:
    """What one candidate gave under the external splits.

    Parameters
    ----------
    outcomes : sequence of SplitOutcome
        Learnt from the whole external training part, tested on the external test part.
    internal : sequence of InternalEstimate
        Inside each external training part, in the same order.
    """

    outcomes: Sequence[SplitOutcome]
    internal: Sequence[InternalEstimate]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class External:
    """The procedure under the external splits.

    Parameters
    ----------
    choices : tuple of Choice
        (J,) by external split.
    outcomes : tuple of SplitOutcome
        (J,) those of the chosen candidate.
    internal : ndarray of float
        (J,) internal error of the chosen candidate.
    candidates : mapping of str to Candidate
        In the request's order.
    """

    choices: tuple[Choice, ...]
    outcomes: tuple[SplitOutcome, ...]
    internal: FloatArray
    candidates: Mapping[str, Candidate]

    def wins(self) -> dict[str, int]:
        """Return how often each candidate was chosen."""
        return {name: sum(c.name == name for c in self.choices) for name in self.candidates}

    def splits_told(self) -> list[dict[str, Any]]:
        """Return every external split's choice, with its internal and external error."""
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
                    "external": outcome.losses.mean(),
                    "n_train": outcome.n_train,
                    "n_test": len(outcome.test),
                }
            )
            for at, (choice, outcome) in enumerate(zip(self.choices, self.outcomes, strict=True))
        ]

    def candidates_told(self) -> dict[str, Any]:
        """Return each candidate's wins, and its internal and external error by split."""
        wins = self.wins()
        return {
            name: plain(
                {
                    "wins": wins[name],
                    "internal": [estimate.mean for estimate in candidate.internal],
                    "external": [outcome.losses.mean() for outcome in candidate.outcomes],
                }
            )
            for name, candidate in self.candidates.items()
        }

    def parts_of_gap(self) -> tuple[float, float] | None:
        """Return the gap that is there without a choice, and what choosing adds to it.

        The first is the mean gap of candidates taken as given, as often as each was chosen:
        nothing is chosen within one candidate, so its external minus its internal error is due to
        what else differs, above all the rows learnt from. None for one external split, in which
        the two cannot be told apart.
        """
        wins, J = self.wins(), len(self.choices)
        if J == 1:
            return None
        gaps = {
            name: _mean_gap(c.outcomes, [estimate.mean for estimate in c.internal])
            for name, c in self.candidates.items()
        }
        without = sum(gaps[name] * wins[name] / J for name in gaps)
        return without, _mean_gap(self.outcomes, self.internal.tolist()) - without


def _mean_gap(outcomes: Sequence[SplitOutcome], internal: Sequence[float]) -> float:
    pairs = zip(outcomes, internal, strict=True)
    return float(np.mean([outcome.losses.mean() - inside for outcome, inside in pairs]))


def select_in_each(candidates: Mapping[str, Candidate], rule: str) -> External:
    """Choose inside every external training part, by what is known inside it alone."""
    n_splits = len(next(iter(candidates.values())).outcomes)
    choices = tuple(
        choose({name: c.internal[at] for name, c in candidates.items()}, rule)
        for at in range(n_splits)
    )
    return External(
        choices=choices,
        outcomes=tuple(candidates[c.name].outcomes[at] for at, c in enumerate(choices)),
        internal=np.array([candidates[c.name].internal[at].mean for at, c in enumerate(choices)]),
        candidates=candidates,
    )
