"""The variances of the example setting, in closed form and from repetitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from replications.importance.example_setting import ExampleSetting
from thetahat.analyses.studies.base import Records
from thetahat.analyses.studies.monte_carlo import monte_carlo_mean, monte_carlo_variance
from thetahat.analyses.studies.tables import MonteCarloNumber

TAME: Final = math.sqrt(0.75)
"""The g above which the fourth moment of the weights is finite: simulated variances have errors."""


@dataclass(frozen=True, slots=True, eq=False)
class VariancesTold:
    """Records of the example setting, read by the scale g of the source."""

    records: Records
    scales: Sequence[float]
    n: int

    @property
    def finite(self) -> list[int]:
        """Places of the g with finite variances."""
        return [at for at, g in enumerate(self.scales) if self.weight_variance(at) < math.inf]

    @property
    def tame(self) -> list[int]:
        """Places of the g whose simulated variances have errors."""
        return [at for at, g in enumerate(self.scales) if g > TAME]

    def weight_variance(self, at: int) -> float:
        """Variance of the weights in closed form, at one g."""
        return ExampleSetting(self.scales[at]).weight_variance()

    def simulated_weight_variance(self, at: int) -> MonteCarloNumber:
        """Return the mean square less one: the mean is known to be one."""
        return monte_carlo_mean(self.records["mean_square"][:, at] - 1)

    def variance(self, name: str, at: int) -> float:
        """Return the closed form of one point's variance."""
        example = ExampleSetting(self.scales[at])
        return float(getattr(example, f"{name}_variance")())

    def simulated(self, name: str, at: int) -> MonteCarloNumber:
        """Variance over data sets times the size of one."""
        found = monte_carlo_variance(self.records[name][:, at])
        return times(found, self.n)


def times(number: MonteCarloNumber, factor: float) -> MonteCarloNumber:
    """Return a number times a factor."""
    if number.value is None or number.standard_error is None:
        return MonteCarloNumber(None if number.value is None else number.value * factor)
    return MonteCarloNumber(number.value * factor, number.standard_error * abs(factor))


def printed(g: float) -> float:
    """Return the weights' variance as the text prints it."""
    excess = 2 * g * g - 1
    return g * g / excess * math.exp(1 / excess) - 1
