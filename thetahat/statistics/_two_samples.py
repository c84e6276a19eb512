"""Differences of two functionals: of samples that are drawn apart, or of the same rows."""

from __future__ import annotations

import numpy as np

from thetahat.statistics._moments import SumsFunctional
from thetahat.statistics.base import Functional
from thetahat.values.types import FloatArray


class _Difference:
    """A functional less another, on a common scale."""

    def __init__(self, a: Functional, b: Functional) -> None:
        self._a, self._b = a, b
        self.shift = a.shift - b.shift
        self.divisor = a.divisor if a.divisor == b.divisor else 1.0
        self._by = (self.divisor / a.divisor, self.divisor / b.divisor)


class DifferenceFunctional(_Difference):
    """Of two samples that are drawn apart; the first n columns of counts are those of the first."""

    def __init__(self, a: Functional, b: Functional, n: int) -> None:
        super().__init__(a, b)
        self._n = n

    def of_counts(self, counts: FloatArray) -> FloatArray:
        """(b,) differences."""
        by_a, by_b = self._by
        first, second = counts[:, : self._n], counts[:, self._n :]
        return np.asarray(by_a * self._a.of_counts(first) - by_b * self._b.of_counts(second))

    def jackknife(self) -> FloatArray:
        """(n + m,) of each row, its own sample's part of the difference without it."""
        by_a, by_b = self._by
        return np.concatenate([by_a * self._a.jackknife(), -by_b * self._b.jackknife()])

    def jackknife_variances(self, counts: FloatArray) -> FloatArray:
        """(b,) sums of both samples' jackknife variances."""
        by_a, by_b = self._by
        first, second = counts[:, : self._n], counts[:, self._n :]
        return np.asarray(
            by_a**2 * self._a.jackknife_variances(first)
            + by_b**2 * self._b.jackknife_variances(second)
        )


class PairedDifferenceFunctional(_Difference):
    """Of the same rows, by their counts."""

    def of_counts(self, counts: FloatArray) -> FloatArray:
        """(b,) differences."""
        return np.asarray(self._a.of_counts(counts) - self._b.of_counts(counts))

    def jackknife(self) -> FloatArray:
        """(n,) differences without each row."""
        return self._a.jackknife() - self._b.jackknife()

    def jackknife_variances(self, counts: FloatArray) -> FloatArray:
        """(b,) NaN, as of a single quantile: smooth statistics are those of sums."""
        return self._a.jackknife_variances(counts)


class PairedSumsFunctional(SumsFunctional):
    """Of the same rows, by the sums of both."""

    def __init__(self, a: SumsFunctional, b: SumsFunctional) -> None:
        super().__init__(np.hstack([a.columns, b.columns]), a.shift - b.shift, a.divisor)
        self._a, self._b = a, b

    def scaled(self, sums: FloatArray, n: float) -> FloatArray:
        """(...) differences of (..., 2 q) sums."""
        q = self._a.columns.shape[1]
        return self._a.scaled(sums[..., :q], n) - self._b.scaled(sums[..., q:], n)
