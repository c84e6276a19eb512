"""Isotonic regression of outcomes on probabilities, with equal probabilities as one level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class ProbabilityLevels:
    """The distinct probabilities of rows, in ascending order."""

    values: FloatArray
    """(m,) distinct probabilities."""
    index: IntArray
    """(n,) level of each row."""
    sizes: FloatArray
    """(m,) rows of each level."""

    @classmethod
    def build(cls, probabilities: FloatArray) -> ProbabilityLevels:
        """Return the levels of (n,) probabilities."""
        values, index = np.unique(probabilities, return_inverse=True)
        return cls(values, index, np.bincount(index).astype(np.float64))

    def add_up(self, rows: FloatArray) -> FloatArray:
        """Return the (m,) sums of (n,) numbers over the rows of each level."""
        sums = np.bincount(self.index, weights=rows, minlength=len(self.values))
        return np.asarray(sums, dtype=np.float64)


def fit_isotonic(sums: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return the (m,) non-decreasing shares that are closest to the shares of the levels.

    Parameters
    ----------
    sums : ndarray of float
        (m,) events of each level.
    sizes : ndarray of float
        (m,) rows, or weights of rows, of each level. A level without any has the share of the
        level below it, and the first ones have that of the first level with rows.
    """
    kept = sizes > 0
    if kept.all():
        fitted: FloatArray = scipy.optimize.isotonic_regression(sums / sizes, weights=sizes).x
        return fitted
    fitted = scipy.optimize.isotonic_regression(sums[kept] / sizes[kept], weights=sizes[kept]).x
    return np.asarray(fitted[np.maximum(np.cumsum(kept) - 1, 0)])
