"""Differences of two functionals: of two independent samples, or of the same rows."""

from __future__ import annotations

import numpy as np

from thetahat.statistics._moments import SumsFunctional
from thetahat.statistics.base import Functional
from thetahat.values.types import FloatArray


class _Difference:
    """A functional minus another one, on a common scale."""

    def __init__(self, a: Functional, b: Functional) -> None:
        self._a, self._b = a, b
        self.shift = a.shift - b.shift
        self.divisor = a.divisor if a.divisor == b.divisor else 1.0
        self._by = (self.divisor / a.divisor, self.divisor / b.divisor)


class DifferenceFunctional(_Difference):
    """Difference of two independent samples; the first n columns of counts are of the first one."""

    def __init__(self, a: Functional, b: Functional, n: int) -> None:
        super().__init__(a, b)
        self._n = n

    def evaluate_counts(self, counts: FloatArray) -> FloatArray:
        """Return the (b,) differences."""
        by_a, by_b = self._by
        first, second = counts[:, : self._n], counts[:, self._n :]
        return np.asarray(
            by_a * self._a.evaluate_counts(first) - by_b * self._b.evaluate_counts(second)
        )

    def jackknife(self) -> FloatArray:
        """Return (n + m,) values: the term of the row's own sample, computed without the row."""
        by_a, by_b = self._by
        return np.concatenate([by_a * self._a.jackknife(), -by_b * self._b.jackknife()])

    def jackknife_variances(self, counts: FloatArray) -> FloatArray:
        """Return the (b,) sums of the jackknife variances of both samples."""
        by_a, by_b = self._by
        first, second = counts[:, : self._n], counts[:, self._n :]
        return np.asarray(
            by_a**2 * self._a.jackknife_variances(first)
            + by_b**2 * self._b.jackknife_variances(second)
        )


class PairedDifferenceFunctional(_Difference):
    """Difference of two functionals of the same rows, each computed from the counts."""

    def evaluate_counts(self, counts: FloatArray) -> FloatArray:
        """Return the (b,) differences."""
        return np.asarray(self._a.evaluate_counts(counts) - self._b.evaluate_counts(counts))

    def jackknife(self) -> FloatArray:
        """Return the (n,) differences without each row."""
        return self._a.jackknife() - self._b.jackknife()

    def jackknife_variances(self, counts: FloatArray) -> FloatArray:
        """Return (b,) NaN, as for a single quantile, which is not smooth."""
        return self._a.jackknife_variances(counts)


class PairedSumsFunctional(SumsFunctional):
    """Difference of two functionals of the same rows, computed from the sums of both."""

    def __init__(self, a: SumsFunctional, b: SumsFunctional) -> None:
        super().__init__(np.hstack([a.columns, b.columns]), a.shift - b.shift, a.divisor)
        self._a, self._b = a, b

    def scaled(self, sums: FloatArray, n: float) -> FloatArray:
        """Return the (...) differences from (..., 2 q) sums."""
        q = self._a.columns.shape[1]
        return self._a.scaled(sums[..., :q], n) - self._b.scaled(sums[..., q:], n)
