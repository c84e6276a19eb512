"""Shares of a Dirichlet process posterior of pairwise sums, by simulation."""

from __future__ import annotations

import numpy as np

from thetahat.paired_tests._posteriors import PriorPlace, Shares
from thetahat.values.types import FloatArray

_CHUNK = 2**15  # weights in memory at a time, which stay in the cache
_ALIKE = 1e-12  # of all weight: shares that differ by less are tied
_AT: dict[PriorPlace, float] = {"left": -np.inf, "rope": 0.0, "right": np.inf}


def simulated_shares(  # noqa: PLR0913 - one argument per part of the model
    values: FloatArray,
    rounding: float,
    rope: float,
    prior: float,
    place: PriorPlace,
    n_draws: int,
    rng: np.random.Generator,
) -> Shares:
    r"""Return how often left, rope and right have the largest weight of pairwise sums.

    Each draw weighs the n values and the prior's z_0 by w ~ Dirichlet(1, ..., 1; s), and

    .. math::

        \theta_l = \sum_{ij} w_i w_j \,[z_i + z_j < -2r], \qquad
        \theta_r = \sum_{ij} w_i w_j \,[z_i + z_j > 2r]

    with a sum at the edge counted half. The values are sorted once; the j that go with an i are
    then a stretch of them, and its weight a difference of cumulative weights: O(n) per draw.
    A draw in which two are equally large counts for both in halves.

    Parameters
    ----------
    values : ndarray of float
        (n,) differences.
    rounding : float
        Sums closer than this to an edge are at it.
    rope, prior, place : float, float, str
        r, s, and where z_0 lies.
    n_draws : int
        Number of draws.
    rng : numpy Generator
        Draws the weights; how many are drawn at a time does not change them.
    """
    z = np.concatenate([[_AT[place]], values])
    order = np.argsort(z, kind="stable")
    z, prior_at = z[order], int(np.argmin(order))
    low, high = -2 * rope - z, 2 * rope - z
    left_of = (
        np.searchsorted(z, low - rounding, "left"),
        np.searchsorted(z, low + rounding, "right"),
    )
    right_of = (
        np.searchsorted(z, high - rounding, "left"),
        np.searchsorted(z, high + rounding, "right"),
    )
    gammas = rng.standard_gamma(prior, n_draws)
    wins = np.zeros(3)
    at_once = max(1, _CHUNK // len(z))
    for start in range(0, n_draws, at_once):
        prior_weights = gammas[start : start + at_once]
        drawn = rng.standard_exponential((len(prior_weights), len(z)))
        drawn[:, prior_at] = prior_weights
        weights = np.ascontiguousarray(drawn.T)  # draws side by side, for what follows
        below = _below(weights)
        total = below[-1] ** 2
        left = _pairs_weight(weights, below, left_of) / total
        right = 1 - _pairs_weight(weights, below, right_of) / total
        wins += _wins(left, right)
    share = wins / n_draws
    return float(share[0]), float(share[1]), float(share[2])


def _below(weights: FloatArray) -> FloatArray:
    """(n + 1, draws) weight of all values before each."""
    n, n_draws = weights.shape
    below = np.zeros((n + 1, n_draws))
    if n > n_draws:
        np.cumsum(weights, axis=0, out=below[1:])
    else:  # the same additions, many at a time
        for i, row in enumerate(weights):
            np.add(below[i], row, out=below[i + 1])
    return below


def _pairs_weight(
    weights: FloatArray, below: FloatArray, stretch: tuple[np.ndarray, np.ndarray]
) -> FloatArray:
    """(draws,) weight of the pairs (i, j) with j in the first stretch of the sorted values.

    The stretch's end is given twice, without and with the pairs at the edge; those count half.
    """
    without, with_edge = stretch
    partners = below[without]
    if not np.array_equal(without, with_edge):
        partners = (partners + below[with_edge]) / 2
    return np.asarray(np.einsum("id,id->d", weights, partners))


def _wins(left: FloatArray, right: FloatArray) -> FloatArray:
    """(3,) number of draws that each of left, rope and right wins."""
    shares = np.stack([left, 1 - left - right, right])
    is_largest = shares >= shares.max(axis=0) - _ALIKE
    return np.asarray((is_largest / is_largest.sum(axis=0)).sum(axis=1))
