"""The choice inside every external training part, and its error on the test part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.analyses.selection.internal_estimates import InternalEstimate
from thetahat.analyses.selection.result import ExternalCandidate, ExternalResult, ExternalSplit
from thetahat.analyses.selection.selection_rules import Choice, SelectionRule, choose
from thetahat.cross_validation import SplitOutcome
from thetahat.values.types import FloatArray

SELECTED: Final = "selected"
"""The name of the whole procedure among the models: choose a candidate, then fit it."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CandidateErrors:
    """The errors (or metrics) of one candidate under the external splits."""

    external: FloatArray
    """(J,) mean loss, or metric, on each external test part of the candidate that was fitted to the
    whole training part; NaN where a metric is undefined."""
    internal: Sequence[InternalEstimate]
    """Inside each external training part, in the same order."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ExternalChoices:
    """The choices inside the external training parts."""

    choices: tuple[Choice, ...]
    """(J,) by external split."""
    internal: FloatArray
    external: FloatArray
    """(J,) internal and external error (or metric) of the chosen candidate."""
    candidates: Mapping[str, CandidateErrors]
    """In the request's order."""

    def count_wins(self) -> dict[str, int]:
        """Return how often each candidate was chosen."""
        counts = dict.fromkeys(self.candidates, 0)
        for choice in self.choices:
            counts[choice.name] += 1
        return counts

    def describe(
        self, outcomes: Sequence[SplitOutcome], *, lists_candidates: bool = True
    ) -> ExternalResult:
        """Return every split and every candidate as a part of the result.

        ``outcomes`` are the (J,) outcomes of the chosen candidates. ``lists_candidates`` says
        whether the numbers of every candidate are listed split by split.
        """
        wins = self.count_wins()
        return ExternalResult(
            wins=wins,
            splits=tuple(
                self._describe_split(split, outcome) for split, outcome in enumerate(outcomes)
            ),
            candidates={
                name: ExternalCandidate(
                    wins=wins[name],
                    internal=tuple(estimate.mean for estimate in errors.internal)
                    if lists_candidates
                    else None,
                    external=errors.external if lists_candidates else None,
                )
                for name, errors in self.candidates.items()
            },
        )

    def _describe_split(self, split: int, outcome: SplitOutcome) -> ExternalSplit:
        choice = self.choices[split]
        estimate = self.candidates[choice.name].internal[split]
        return ExternalSplit(
            repeat=outcome.repeat,
            block=outcome.label,
            winner=choice.name,
            least=choice.least,
            tied=choice.tied,
            internal=float(self.internal[split]),
            internal_standard_error=estimate.standard_error,
            external=float(self.external[split]),
            n_train=outcome.n_train,
            n_test=len(outcome.test),
        )

    def compute_mean_gap(self) -> float | None:
        """Return the mean of external minus internal error; None where none is defined."""
        return _compute_mean_gap(self.external, self.internal)

    def divide_gap(self) -> tuple[float, float] | None:
        """Return the part of the mean gap that is there without a choice, and the rest.

        The first part is the mean gap of each candidate by itself, weighted by how often it was
        chosen. Within one candidate nothing is chosen, so its gap has other reasons, above all
        the smaller number of training rows. None for one external split, in which the two parts
        cannot be separated.
        """
        J, total = len(self.choices), self.compute_mean_gap()
        if J == 1 or total is None:
            return None
        without_choice = 0.0
        for name, count in self.count_wins().items():
            if count:
                candidate = self.candidates[name]
                internal = np.array([estimate.mean for estimate in candidate.internal])
                gap = _compute_mean_gap(candidate.external, internal)
                if gap is None:
                    return None
                without_choice += gap * count / J
        return without_choice, total - without_choice


def _compute_mean_gap(external: FloatArray, internal: FloatArray) -> float | None:
    gaps = external - internal
    known = gaps[~np.isnan(gaps)]
    return float(known.mean()) if len(known) else None


def choose_in_each_split(
    candidates: Mapping[str, CandidateErrors],
    rule: SelectionRule,
    *,
    higher_is_better: bool = False,
) -> ExternalChoices:
    """Choose inside every external training part, from the estimates inside it alone."""
    n_splits = len(next(iter(candidates.values())).internal)
    choices = tuple(
        choose(
            {name: errors.internal[split] for name, errors in candidates.items()},
            rule,
            higher_is_better=higher_is_better,
        )
        for split in range(n_splits)
    )
    chosen = [(candidates[choice.name], split) for split, choice in enumerate(choices)]
    return ExternalChoices(
        choices=choices,
        internal=np.array([errors.internal[split].mean for errors, split in chosen]),
        external=np.array([errors.external[split] for errors, split in chosen]),
        candidates=candidates,
    )
