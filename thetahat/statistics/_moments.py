"""Statistics that are functions of sums over the rows."""

from __future__ import annotations

from abc import ABC, abstractmethod

from thetahat.statistics._columns import compute_jackknife_variances
from thetahat.values.types import FloatArray


class SumsFunctional(ABC):
    """A statistic that is a function of the sums of (n, q) columns; subclasses define ``scaled``.

    Parameters
    ----------
    columns : ndarray of float
        (n, q) C-ordered.
    shift, divisor : float
        As in ``Functional``.
    """

    def __init__(self, columns: FloatArray, shift: float = 0.0, divisor: float = 1.0) -> None:
        self.columns = columns
        self.shift = shift
        self.divisor = divisor

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
