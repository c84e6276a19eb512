"""Counts of the instances of two models whose values are all 0 or 1."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True)
class PairedCounts:
    """The two-by-two table of a pair of models, a and b, on the same instances."""

    only_a: int
    """Instances on which a has 1 and b has 0."""
    only_b: int
    """Instances on which a has 0 and b has 1."""
    both: int
    """Instances on which both have 1."""
    n: int
    """All instances."""

    @property
    def difference(self) -> float:
        """Mean of a minus mean of b."""
        return (self.only_a - self.only_b) / self.n

    @property
    def discordant(self) -> int:
        """Instances on which the two differ."""
        return self.only_a + self.only_b

    @property
    def standard_error(self) -> float:
        """Root of the variance of the difference, with n in the denominator; 0 without spread."""
        return math.sqrt(max(0.0, self.discordant / self.n - self.difference**2) / self.n)

    def swap(self) -> PairedCounts:
        """Return the table of b and a."""
        return PairedCounts(only_a=self.only_b, only_b=self.only_a, both=self.both, n=self.n)


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
