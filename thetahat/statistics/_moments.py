"""Statistics that are functions of sums over the rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from thetahat.statistics._columns import compute_jackknife_variances
from thetahat.values.types import FloatArray


@dataclass(eq=False)
class SumsFunctional(ABC):
    """A statistic that is a function of the sums of (n, q) columns: ``scaled`` is the function."""

    columns: FloatArray
    """(n, q) C-ordered."""
    shift: float = 0.0
    divisor: float = 1.0
    """Both as in ``Functional``."""

    @abstractmethod
    def scaled(self, sums: FloatArray, n: float) -> FloatArray:
        """Return the (...) values from (..., q) sums over n rows; NaN if undefined."""

    def evaluate_sums(self, sums: FloatArray) -> FloatArray:
        """Return the (b,) values from (b, q) sums over as many rows as the sample has."""
        return self.scaled(sums, len(self.columns))

    def evaluate_counts(self, counts: FloatArray) -> FloatArray:
        """Return the (b,) values from (b, n) counts."""
        return self.evaluate_sums(counts @ self.columns)

    def jackknife(self) -> FloatArray:
        """Return the (n,) values without each row."""
        return self.scaled(self.columns.sum(axis=0) - self.columns, len(self.columns) - 1)

    def jackknife_variances(self, counts: FloatArray) -> FloatArray:
        """Return the (b,) jackknife variances from (b, n) counts."""
        sums = counts @ self.columns
        without = self.scaled(sums[:, None, :] - self.columns, len(self.columns) - 1)
        return compute_jackknife_variances(without, counts)
