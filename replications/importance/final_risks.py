"""Final target risks over all data sets, and over the tenth with the largest weight variance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

import numpy as np
from scipy.special import log_ndtr

from thetahat.analyses.studies.base import Records
from thetahat.analyses.studies.monte_carlo import monte_carlo_mean, subtract
from thetahat.analyses.studies.tables import MonteCarloNumber
from thetahat.paired_tests._signed_ranks import rank_units
from thetahat.paired_tests._units import ROUNDING, PairedUnits
from thetahat.values.types import FloatArray

RISKS: Final = {
    "weighted": "selected by the weighted risk",
    "controlled": "selected by the controlled risk",
    "target": "selected on the labelled target",
}
Which = Literal["all", "top", "rest"]
TITLES: Final[dict[Which, str]] = {
    "all": "all data sets",
    "top": "the tenth with the largest weight variance",
    "rest": "the others",
}
_TENTH: Final = 0.1


@dataclass(frozen=True, eq=False)
class FinalRisks:
    """Final target risks under one estimator of the weights.

    Parameters
    ----------
    records : mapping
        By ``<name>_<risk>`` and ``<name>_weight_variance``, (R, G).
    name : str
        Of the estimator.
    gammas : sequence of float
        (G,).
    """

    records: Records
    name: str
    gammas: Sequence[float]

    @cached_property
    def _known(self) -> np.ndarray:
        return np.isfinite(self.records[f"{self.name}_weighted"])

    @cached_property
    def _top(self) -> np.ndarray:
        """(R, G) whether a data set is of the tenth; of equal variances the earlier come first."""
        spread = self.records[f"{self.name}_weight_variance"]
        top = np.zeros(spread.shape, dtype=np.bool_)
        for at in range(spread.shape[1]):
            rows = np.flatnonzero(self._known[:, at])
            count = math.ceil(_TENTH * len(rows))
            order = np.argsort(-spread[rows, at], kind="stable")
            top[rows[order[:count]], at] = True
        return top

    def values(self, risk: str, at: int, which: Which) -> FloatArray:
        """Return the final risks of some data sets."""
        kept = self._known[:, at]
        if which != "all":
            kept = kept & (self._top[:, at] == (which == "top"))
        return np.asarray(self.records[f"{self.name}_{risk}"][kept, at])

    def n_refused(self, at: int) -> int:
        """Return for how many data sets there are no weights."""
        return int((~self._known[:, at]).sum())

    def mean(self, risk: str, at: int, which: Which) -> MonteCarloNumber:
        """Mean final risk."""
        return monte_carlo_mean(self.values(risk, at, which))

    def gain(self, at: int, which: Which) -> MonteCarloNumber:
        """Mean of the final risk by the weighted risk less that by the controlled one."""
        return monte_carlo_mean(
            self.values("weighted", at, which) - self.values("controlled", at, which)
        )

    def worse(self, risk: str, at: int) -> MonteCarloNumber:
        """How much larger the mean is in the tenth than in the others, over the others' mean."""
        rest = self.mean(risk, at, "rest")
        return over(subtract(self.mean(risk, at, "top"), rest), rest.value)

    def relative_gain(self, at: int, which: Which) -> MonteCarloNumber:
        """Return the gain over the mean by the controlled risk."""
        return over(self.gain(at, which), self.mean("controlled", at, which).value)

    def log_p(self, at: int, which: Which) -> MonteCarloNumber:
        """Decimal logarithm of the two-sided p-value of Wilcoxon's signed-rank test.

        By the normal approximation, without the data sets where both select the same.
        """
        a, b = (self.values(risk, at, which) for risk in ("weighted", "controlled"))
        roundings = ROUNDING * np.maximum(np.abs(a), np.abs(b))
        apart = np.where(np.abs(a - b) <= roundings, 0.0, a - b)
        units = PairedUnits("instance", apart, roundings, np.full(len(a), 1 / max(len(a), 1)))
        if units.n_zeros == len(a):
            return MonteCarloNumber(0.0, 0.0) if len(a) else MonteCarloNumber(None)
        found = rank_units(units, "wilcox")
        z = (found.positive - found.expected) / math.sqrt(found.variance)
        return MonteCarloNumber(
            min((math.log(2) + float(log_ndtr(-abs(z)))) / math.log(10), 0.0), 0.0
        )


def over(number: MonteCarloNumber, divisor: float | None) -> MonteCarloNumber:
    """Return a number over another that is taken as known."""
    if number.value is None or not divisor:
        return MonteCarloNumber(None)
    error = None if number.standard_error is None else number.standard_error / abs(divisor)
    return MonteCarloNumber(number.value / divisor, error)
