"""Quantiles of a sample, from its values in order."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import numpy as np

from thetahat.numerics.loops.compiling import compiled
from thetahat.numerics.loops.order_statistics import neighbours, neighbours_by_numpy
from thetahat.values.types import FloatArray, IntArray

_PLOTTING: Final[Mapping[str, tuple[float, float]]] = MappingProxyType(
    {
        "interpolated_inverted_cdf": (0.0, 1.0),
        "hazen": (0.5, 0.5),
        "weibull": (0.0, 0.0),
        "linear": (1.0, 1.0),
        "median_unbiased": (1 / 3, 1 / 3),
        "normal_unbiased": (3 / 8, 3 / 8),
    }
)
DEFINITIONS: Final = ("inverted_cdf", *_PLOTTING)
"""As numpy names them: types 1 and 4 to 9 of hyndman1996."""
_ROUNDING = 4 * float(np.finfo(np.float64).eps)


def compute_position(n: int, q: float, definition: str) -> tuple[int, float]:
    """Return k, from 0, and g: the quantile lies g of the way from the k-th value to the next.

    A position that is a whole number but for the rounding of n q is one.
    """
    if definition == "inverted_cdf":
        at = n * q - 1
        near = round(at)
        k = near if abs(at - near) <= _ROUNDING * n else math.ceil(at)
        return min(max(k, 0), n - 1), 0.0
    alpha, beta = _PLOTTING[definition]
    at = n * q + alpha + q * (1 - alpha - beta) - 1
    near = round(at)
    at = min(max(near if abs(at - near) <= _ROUNDING * n else at, 0.0), n - 1.0)
    k = min(math.floor(at), max(n - 2, 0))
    return k, at - k


class QuantileFunctional:
    """A quantile of (n,) values.

    Parameters
    ----------
    x : ndarray of float
        (n,).
    q : float
        In [0, 1].
    definition : str
        One of ``DEFINITIONS``.
    fast : bool
        With the compiled loop.
    """

    shift = 0.0
    divisor = 1.0

    def __init__(self, x: FloatArray, q: float, definition: str, *, fast: bool) -> None:
        self._order = np.argsort(x, kind="stable")
        self._values = x[self._order]
        self._q, self._definition, self._fast = q, definition, fast
        self._k, self._g = compute_position(len(x), q, definition)

    def evaluate_counts(self, counts: FloatArray) -> FloatArray:
        """Return the (b,) quantiles from (b, n) counts that sum to n."""
        if self._fast:
            places = np.empty((len(counts), 2), dtype=np.intp)
            compiled(neighbours)(np.ascontiguousarray(counts), self._order, self._k, places)
        else:
            places = neighbours_by_numpy(counts, self._order, self._k)
        return _interpolate(self._values[places[:, 0]], self._values[places[:, 1]], self._g)

    def kinds(self) -> tuple[IntArray, int]:
        """Return the place of each row's value among those that differ."""
        is_new = self._is_new
        by_row = np.empty(len(is_new), dtype=np.intp)
        by_row[self._order] = np.cumsum(is_new) - 1
        return by_row, int(np.count_nonzero(is_new))

    def evaluate_kinds(self, counts: FloatArray) -> FloatArray:
        """Return the (b,) quantiles from (b, K) counts of the distinct values."""
        values = self._values[self._is_new]
        places = np.empty((len(counts), 2), dtype=np.intp)
        compiled(neighbours)(counts, np.arange(len(values)), self._k, places)
        return _interpolate(values[places[:, 0]], values[places[:, 1]], self._g)

    @property
    def _is_new(self) -> np.ndarray:
        """(n,) whether a value in order differs from the one before it."""
        return np.concatenate([[True], self._values[1:] != self._values[:-1]])

    def jackknife(self) -> FloatArray:
        """Return the (n,) quantiles of the sample without each row."""
        n = len(self._values)
        if n < 2:
            return np.full(n, np.nan)
        k, g = compute_position(n - 1, self._q, self._definition)
        place = np.empty(n, dtype=np.intp)
        place[self._order] = np.arange(n)
        low, high = k + (place <= k), np.minimum(k + 1 + (place <= k + 1), n - 1)
        return _interpolate(self._values[low], self._values[high], g)

    def jackknife_variances(self, counts: FloatArray) -> FloatArray:
        """Return (b,) NaN, because the jackknife variance of a quantile is not consistent."""
        return np.full(len(counts), np.nan)


def _interpolate(a: FloatArray, b: FloatArray, g: float) -> FloatArray:
    if g in (0, 1):
        return b if g else a
    return np.asarray(np.where(a == b, a, a + g * (b - a)))
