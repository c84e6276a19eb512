"""The studentised range at infinite degrees of freedom: the range of k standard normals."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy import special

_REACH = 9.0  # normals beyond it add less than 1e-18
_LARGEST = 60.0  # the tail, about exp(-q^2 / 4), is below the smallest double
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_PANEL = 0.5  # in standard deviations; 16 nodes on it leave rounding alone


def range_tail(q: float, k: int) -> float:
    r"""Return the chance that the range of k independent standard normals exceeds q.

    .. math::

        P(Q > q) = k \int \phi(z)\, \Phi(z)^{k-1}
        \Bigl[1 - \Bigl(1 - \frac{\Phi(z - q)}{\Phi(z)}\Bigr)^{k-1}\Bigr] dz

    with z the largest. The tail is integrated, not one minus it, so that small p-values keep
    their digits. Source: nemenyi1963 for its use.
    """
    if q <= 0:
        return 1.0
    if q > _LARGEST:
        return 0.0
    edges = np.arange(-_REACH, q + _REACH + _PANEL, _PANEL)
    z = (edges[:-1, np.newaxis] + _PANEL * (_NODES + 1) / 2).ravel()
    weights = np.tile(_WEIGHTS * _PANEL / 2, len(edges) - 1)
    below = special.ndtr(z)
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    # for a tiny q the ratio rounds to 1, whose logarithm would be infinite
    ratio = np.minimum(special.ndtr(z - q) / below, 1 - np.finfo(np.float64).epsneg)
    reached = -np.expm1((k - 1) * np.log1p(-ratio))
    return min(1.0, float(k * (weights @ (density * below ** (k - 1) * reached))))


@lru_cache(maxsize=64)
def range_quantile(tail: float, k: int) -> float:
    """Return the q that the range exceeds with probability ``tail``, by bisection."""
    low, high = 0.0, 1.0
    while range_tail(high, k) > tail:
        low, high = high, 2 * high
    while high - low > 4 * np.finfo(np.float64).eps * high:
        middle = (low + high) / 2
        low, high = (middle, high) if range_tail(middle, k) > tail else (low, middle)
    return (low + high) / 2
