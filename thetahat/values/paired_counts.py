"""Counts of the instances of two models whose values are all 0 or 1."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True)
class PairedCounts:
    """The two-by-two table of a pair of models, a and b, on the same instances.

    Of instances in clusters the counts are divided by a design effect, so that they are those of
    as many independent instances as the clusters are worth.
    """

    only_a: float
    """Instances on which a has 1 and b has 0."""
    only_b: float
    """Instances on which a has 0 and b has 1."""
    both: float
    """Instances on which both have 1."""
    n: float
    """All instances."""
    design_effect: float = 1.0
    """What the counts were divided by: 1 for independent instances."""
    degrees_of_freedom: float | None = None
    """Of the t distribution, for an estimated design effect; None means the normal one."""

    @property
    def n_instances(self) -> int:
        """All instances, not divided."""
        return round(self.n * self.design_effect)

    @property
    def difference(self) -> float:
        """Mean of a minus mean of b."""
        return (self.only_a - self.only_b) / self.n

    @property
    def discordant(self) -> float:
        """Instances on which the two differ."""
        return self.only_a + self.only_b

    @property
    def standard_error(self) -> float:
        """Root of the variance of the difference, with n in the denominator; 0 without spread."""
        return math.sqrt(max(0.0, self.discordant / self.n - self.difference**2) / self.n)

    def swap(self) -> PairedCounts:
        """Return the table of b and a."""
        return replace(self, only_a=self.only_b, only_b=self.only_a)

    def divide(self, design_effect: float, degrees_of_freedom: float | None) -> PairedCounts:
        """Return the table of independent instances that are worth the same."""
        return PairedCounts(
            only_a=self.only_a / design_effect,
            only_b=self.only_b / design_effect,
            both=self.both / design_effect,
            n=self.n / design_effect,
            design_effect=self.design_effect * design_effect,
            degrees_of_freedom=degrees_of_freedom,
        )


def count_pair(a: FloatArray, b: FloatArray) -> PairedCounts:
    """Return the table of two models with (n,) values of 0 or 1."""
    both = round(float(a @ b))
    return PairedCounts(
        only_a=round(float(a.sum())) - both,
        only_b=round(float(b.sum())) - both,
        both=both,
        n=len(a),
    )


def is_zero_one(values: FloatArray) -> bool:
    """Return whether every value is 0 or 1."""
    return bool(np.all((values == 0) | (values == 1)))
