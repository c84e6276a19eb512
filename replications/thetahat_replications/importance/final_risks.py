"""Final target risks of selected penalties, over all data sets and over those with large weights.

The tenth of the data sets with the largest variance of the weights is "the tenth".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, TypeAlias

import numpy as np
from scipy.special import log_ndtr

from thetahat.analyses.studies.base import Records
from thetahat.analyses.studies.monte_carlo import divide_by_known, estimate_mean, subtract
from thetahat.paired_tests._signed_ranks import rank_values
from thetahat.values.block_losses import ROUNDING
from thetahat.values.monte_carlo_number import UNDEFINED, MonteCarloNumber, make_exact
from thetahat.values.types import FloatArray

RISKS: Final = {
    "weighted": "selected by the weighted risk",
    "controlled": "selected by the controlled risk",
    "target": "selected on the labelled target",
}
Subset: TypeAlias = Literal["all", "top", "rest"]
SUBSET_TITLES: Final[dict[Subset, str]] = {
    "all": "all data sets",
    "top": "the tenth with the largest weight variance",
    "rest": "the others",
}
_TENTH: Final = 0.1


@dataclass(frozen=True, eq=False)
class FinalRisks:
    """Final target risks with one estimator of the weights; ``at`` is the position of a gamma."""

    records: Records
    """``<weights>_<risk>`` and ``<weights>_weight_variance``, (R, G) each."""
    weights: str
    """The estimator of the weights."""
    gammas: Sequence[float]
    """(G,) parameters of the source population."""

    @property
    def n_repetitions(self) -> int:
        """R, the number of repetitions."""
        return len(self.records[f"{self.weights}_weighted"])

    @cached_property
    def _known(self) -> np.ndarray:
        """(R, G) whether the weights of a data set could be computed."""
        return np.isfinite(self.records[f"{self.weights}_weighted"])

    @cached_property
    def _top(self) -> np.ndarray:
        """(R, G) whether a data set is in the tenth; of equal variances the earlier come first."""
        spread = self.records[f"{self.weights}_weight_variance"]
        top = np.zeros(spread.shape, dtype=np.bool_)
        for at in range(spread.shape[1]):
            rows = np.flatnonzero(self._known[:, at])
            count = math.ceil(_TENTH * len(rows))
            order = np.argsort(-spread[rows, at], kind="stable")
            top[rows[order[:count]], at] = True
        return top

    def values(self, risk: str, at: int, subset: Subset, tenth_at: int | None = None) -> FloatArray:
        """Return the final risks of a subset of the data sets; see ``log_p`` for ``tenth_at``."""
        kept = self._known[:, at]
        if subset != "all":
            top = self._top[:, at if tenth_at is None else tenth_at]
            kept = kept & (top == (subset == "top"))
        return np.asarray(self.records[f"{self.weights}_{risk}"][kept, at])

    def count_without_weights(self, at: int) -> int:
        """Return the number of data sets whose weights could not be computed."""
        return int((~self._known[:, at]).sum())

    def mean(self, risk: str, at: int, subset: Subset) -> MonteCarloNumber:
        """Return the mean final risk."""
        return estimate_mean(self.values(risk, at, subset))

    def gain(self, at: int, subset: Subset) -> MonteCarloNumber:
        """Return the mean final risk by the weighted risk minus that by the controlled risk."""
        weighted, controlled = (self.values(r, at, subset) for r in ("weighted", "controlled"))
        return estimate_mean(weighted - controlled)

    def deterioration(self, risk: str, at: int) -> MonteCarloNumber:
        """Return the mean in the tenth minus that in the others, over that in the others."""
        rest = self.mean(risk, at, "rest")
        return divide_by_known(subtract(self.mean(risk, at, "top"), rest), rest.value)

    def relative_gain(self, at: int, subset: Subset) -> MonteCarloNumber:
        """Return the gain over the mean final risk by the controlled risk."""
        return divide_by_known(self.gain(at, subset), self.mean("controlled", at, subset).value)

    def mean_deterioration(self, risk: str) -> MonteCarloNumber:
        """Return the mean deterioration over the gammas, whose data sets are independent."""
        numbers = [self.deterioration(risk, at) for at in range(len(self.gammas))]
        values = [number.value for number in numbers if number.value is not None]
        errors = [n.standard_error for n in numbers if n.standard_error is not None]
        if min(len(values), len(errors)) < len(numbers):
            return UNDEFINED
        count = len(numbers)
        return MonteCarloNumber(sum(values) / count, math.sqrt(sum(e * e for e in errors)) / count)

    def excess_deterioration(self, at: int, share: float = 1.0) -> MonteCarloNumber:
        """Return the weighted risk's increase in the tenth times a share, minus the controlled's.

        An increase is the mean final risk in the tenth minus that in the others. The result is over
        the mean of the others by the controlled risk.
        """
        means = [
            estimate_mean(share * self.values("weighted", at, subset) - controlled)
            for subset in ("top", "rest")
            for controlled in [self.values("controlled", at, subset)]
        ]
        return divide_by_known(subtract(*means), self.mean("controlled", at, "rest").value)

    def rise(self, risk: str) -> MonteCarloNumber:
        """Return the relative increase of the mean final risk from the first to the last gamma."""
        first, last = (self.mean(risk, at, "all") for at in (0, len(self.gammas) - 1))
        return divide_by_known(subtract(last, first), first.value)

    def log_p(self, at: int, subset: Subset, tenth_at: int | None = None) -> MonteCarloNumber:
        """Return the decimal logarithm of the two-sided p-value of Wilcoxon's signed-rank test.

        It uses the normal approximation, without the data sets on which both risks select the same.
        ``tenth_at`` is the position of the gamma whose data sets with the largest weight variance
        are the tenth; by default ``at``.
        """
        a, b = (self.values(risk, at, subset, tenth_at) for risk in ("weighted", "controlled"))
        roundings = ROUNDING * np.maximum(np.abs(a), np.abs(b))
        differences = np.where(np.abs(a - b) <= roundings, 0.0, a - b)
        if not differences.any():
            return make_exact(0.0) if len(a) else UNDEFINED
        ranks = rank_values(differences, roundings, "wilcox")
        z = (ranks.positive - ranks.expected) / math.sqrt(ranks.variance)
        return make_exact(min((math.log(2) + float(log_ndtr(-abs(z)))) / math.log(10), 0.0))

    def largest_log_p(self, subset: Subset, tenth_at: int | None = None) -> MonteCarloNumber:
        """Return the largest ``log_p`` over the gammas; undefined if one of them is."""
        values = [self.log_p(at, subset, tenth_at).value for at in range(len(self.gammas))]
        known = [value for value in values if value is not None]
        return make_exact(max(known)) if len(known) == len(values) else UNDEFINED

    def largest_relative_error(self) -> MonteCarloNumber | None:
        """Return the largest standard error over its mean, weighted risk in the tenth."""
        largest = 0.0
        for at in range(len(self.gammas)):
            mean = self.mean("weighted", at, "top")
            if not mean.value or mean.standard_error is None:
                return None
            largest = max(largest, mean.standard_error / mean.value)
        return make_exact(largest)
