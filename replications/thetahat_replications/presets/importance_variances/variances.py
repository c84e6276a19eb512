"""The variances of the example setting, in closed form and simulated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from thetahat.analyses.studies.base import Records
from thetahat.analyses.studies.monte_carlo import (
    estimate_mean,
    estimate_variance,
    multiply_by_known,
)
from thetahat.values.monte_carlo_number import MonteCarloNumber
from thetahat_replications.importance.example_setting import ExampleSetting
from thetahat_replications.importance.quadrature import ExampleQuadrature

SHARE_CONSTANT: Final = 10.0
"""The weight whose probability of being exceeded section 3.3 names."""


@dataclass(frozen=True, slots=True, eq=False)
class ExampleVariances:
    """Variances in the example setting; ``at`` is the position of a scale g."""

    records: Records
    """(R, G) arrays by name."""
    scales: Sequence[float]
    """(G,) the standard deviations g of the source population."""
    n: int
    """Rows of a sample."""

    @property
    def n_repetitions(self) -> int:
        """R, the number of repetitions."""
        return len(self.records["weighted"])

    @property
    def finite(self) -> list[int]:
        """The positions of the g for which variances are finite."""
        return [at for at in range(len(self.scales)) if self.weight_variance(at) < math.inf]

    def quadrature(self, at: int) -> ExampleQuadrature:
        """Return the numerical integrals of a g with finite variances."""
        return ExampleQuadrature(self.scales[at])

    def weight_variance(self, at: int) -> float:
        """Return the closed form of the variance of the weights."""
        return ExampleSetting(self.scales[at]).weight_variance()

    def simulated_weight_variance(self, at: int) -> MonteCarloNumber:
        """Return the mean squared weight minus one, since the mean weight is known to be one."""
        return estimate_mean(self.records["mean_square"][:, at] - 1)

    def variance(self, risk: str, at: int) -> float:
        """Return the closed form of the variance of one row's term in a risk."""
        example = ExampleSetting(self.scales[at])
        variances = {
            "target": example.target_variance,
            "weighted": example.weighted_variance,
            "controlled": example.controlled_variance,
        }
        return variances[risk]()

    def simulated_variance(self, risk: str, at: int) -> MonteCarloNumber:
        """Return the variance of a risk over data sets times the size of a data set."""
        return multiply_by_known(estimate_variance(self.records[risk][:, at]), self.n)


def compute_shares_above(g: float, constant: float) -> dict[str, float]:
    """Return the probability that a weight exceeds a constant, by the population of x.

    ``centred`` is N(0, g^2), under which the authors' script computes Figure 3.
    """
    example = ExampleSetting(g)
    return {
        "source": example.share_above(constant, mean=-1.0, sd=g),
        "target": example.share_above(constant, mean=0.0, sd=1.0),
        "centred": example.share_above(constant, mean=0.0, sd=g),
    }


def evaluate_printed_weight_variance(g: float) -> float:
    """Return the variance of the weights by the printed formula, which lacks a root."""
    excess = 2 * g * g - 1
    return g * g / excess * math.exp(1 / excess) - 1
