"""The ends of a score interval for a weighted mean of independent rates."""

from __future__ import annotations

import math

import numpy as np
import scipy

from thetahat.values.types import FloatArray


def find_lower_mean(shares: FloatArray, sizes: FloatArray, weights: FloatArray, z: float) -> float:
    r"""Return the smallest weighted mean of rates that a score test with quantile z keeps.

    The rates that are likeliest among those with one mean :math:`\theta = \sum_c w_c p_c` are, with
    a multiplier :math:`\lambda`, the smaller roots of

    .. math:: \lambda w_c p_c (1 - p_c) = n_c (\hat p_c - p_c),

    so that :math:`\hat\theta - \theta = \lambda V` with the variance
    :math:`V = \sum_c w_c^2 p_c (1 - p_c) / n_c`, and the test keeps :math:`\theta` while
    :math:`\lambda \sqrt V \le z`. Of a single rate this is Wilson's end.

    Source: martinandres2011.

    Degenerate cases: 0 where all shares are 0. A negative z asks for the larger mean of -z.

    Parameters
    ----------
    shares : ndarray of float
        (C,) observed rates.
    sizes : ndarray of float
        (C,) rows of each; of rows in clusters, how many independent ones they are worth.
    weights : ndarray of float
        (C,) positive weights.
    z : float
        Quantile.
    """
    if z < 0:
        return float(weights.sum()) - find_lower_mean(1 - shares, sizes, weights, -z)
    if not shares.any():
        return 0.0

    def fit_rates(multiplier: float) -> FloatArray:
        pull = multiplier * weights
        root = np.sqrt((pull - sizes) ** 2 + 4 * pull * sizes * (1 - shares))
        return np.minimum(2 * sizes * shares / (pull + sizes + root), 1.0)

    def exceed(log_multiplier: float) -> float:
        multiplier = math.exp(log_multiplier)
        rates = fit_rates(multiplier)
        variance = float((weights**2 * rates * (1 - rates) / sizes).sum())
        return multiplier * math.sqrt(variance) - z

    low, high = -1.0, 1.0
    while exceed(low) > 0:
        low *= 2
    while exceed(high) < 0:
        high *= 2
    multiplier = math.exp(scipy.optimize.brentq(exceed, low, high, xtol=1e-14))
    return float(weights @ fit_rates(multiplier))
