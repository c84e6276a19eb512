"""The power of the test of two paired error rates, and the smallest difference that it finds."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from thetahat.analyses.losses.power import compute_power
from thetahat.analyses.thresholds import MOST_ENUMERATED
from thetahat.numerics.paired_rates import find_zero
from thetahat.numerics.thresholds import MOSTLY_DISCORDANT
from thetahat.special_functions import betainc
from thetahat.values.types import FloatArray, IntArray


def compute_power_of_rates(
    difference: float,
    discordance: float,
    n: float,
    alpha: float,
    degrees_of_freedom: float | None = None,
) -> float:
    r"""Return the power of the two-sided test of two rates if this is their true difference.

    Of independent instances the test is McNemar's mid-p test, or the exact one where most differ.
    Up to ``MOST_ENUMERATED`` discordant
    instances on average all numbers of them are enumerated; with more it is

    .. math::
        \Phi\Bigl(\frac{|\delta| \sqrt n - c}{\sqrt{\psi - \delta^2}}\Bigr)
        + \Phi\Bigl(\frac{-|\delta| \sqrt n - c}{\sqrt{\psi - \delta^2}}\Bigr), \quad
        c = z_{1 - \alpha / 2} \sqrt\psi

    with :math:`\psi` the share of discordant instances, which is at least :math:`|\delta|`. Of
    instances in clusters, whose score statistic is compared with t, it is this form with a
    non-central t variable and the quantile of t.

    Source: connor1987.

    Degenerate cases: rates differ by at most 1; a difference of 1 is found once n instances of one
    kind are enough for the test.

    Parameters
    ----------
    difference : float
        True difference of the rates.
    discordance : float
        Share of the instances on which the two differ.
    n : float
        Number of instances, or of independent instances that those in clusters are worth.
    alpha : float
        Level of the test.
    degrees_of_freedom : float, optional
        Of t, for instances in clusters.
    """
    delta = min(abs(difference), 1.0)
    psi = min(max(discordance, delta), 1.0)
    if degrees_of_freedom is None and n * psi <= MOST_ENUMERATED:
        return _enumerate(delta, psi, round(n), alpha)
    if psi == 0:
        return 0.0
    variance = max(psi - delta * delta, 1e-12)  # a difference of 1 leaves none
    error, widening = math.sqrt(variance / n), math.sqrt(psi / variance)
    return compute_power(delta, error, degrees_of_freedom, alpha, widening=widening)


def find_detectable_difference_of_rates(
    discordance: float,
    n: float,
    alpha: float,
    power: float,
    degrees_of_freedom: float | None = None,
) -> float | None:
    """Return the smallest difference of two rates that the same test finds with this power.

    None if not even a difference of 1 is found.
    """
    if power <= alpha:
        return 0.0

    def fall_short(difference: float) -> float:
        return power - compute_power_of_rates(difference, discordance, n, alpha, degrees_of_freedom)

    return None if fall_short(1.0) > 0 else find_zero(fall_short, 0.0, 1.0)


def _enumerate(delta: float, psi: float, n: int, alpha: float) -> float:
    """Return the power over all numbers of discordant instances of n."""
    critical = _find_critical_counts(alpha)
    discordant = np.arange(min(n, len(critical) - 1) + 1)
    needed = critical[discordant]
    exact = discordant >= MOSTLY_DISCORDANT * n
    if exact.any():
        needed = np.where(exact, _find_critical_counts(alpha, exact=True)[discordant], needed)
    # x or more of d on one side has the probability I(x, d - x + 1); never is d + 1 of d
    finds = np.zeros(len(discordant))
    can = np.flatnonzero(needed <= discordant)
    rest = discordant[can] - needed[can] + 1
    for share in ((1 + delta / psi) / 2, (1 - delta / psi) / 2) if psi > 0 else ():
        finds[can] += betainc(needed[can], rest, share)
    finds = np.minimum(finds, 1.0)  # half of d may be enough, and counts on both sides then
    return float(_weigh(n, psi, len(discordant)) @ finds)


def _weigh(n: int, psi: float, size: int) -> FloatArray:
    """Return the binomial probabilities of 0 to size - 1 of n.

    They are a product of ratios: factorials of very large n have lost their digits.
    """
    if psi in {0, 1}:
        return np.asarray(np.arange(size) == n * psi, dtype=np.float64)
    k = np.arange(1, size)
    log = np.concatenate([[0.0], np.cumsum(np.log((n - k + 1) / k * (psi / (1 - psi))))])
    weights = np.exp(log - log.max())
    return np.asarray(weights / weights.sum())


@lru_cache(maxsize=64)
def _find_critical_counts(alpha: float, *, exact: bool = False) -> IntArray:
    """Return by the number d of discordant instances how many on one side the test rejects.

    They are at least half of d, and d + 1 where it rejects none.
    """
    d = np.arange(int(MOST_ENUMERATED + 10 * math.sqrt(MOST_ENUMERATED)))
    low, high = (d + 1) // 2, d + 1
    while (low < high).any():
        middle = (low + high) // 2
        rejects = _compute_p_values(middle, d, exact=exact) < alpha
        low, high = np.where(rejects, low, middle + 1), np.where(rejects, middle, high)
        low = np.minimum(low, high)
    low[0] = 1  # p is 1 where no instance differs
    return low


def _compute_p_values(x: IntArray, d: IntArray, *, exact: bool) -> FloatArray:
    """Return McNemar's mid-p or exact values of x of d discordant instances, at least half."""
    more = np.where(x < d, betainc(x + 1, np.maximum(d - x, 1), 0.5), 0.0)
    at_least = np.where(x > 0, betainc(np.maximum(x, 1), np.maximum(d - x + 1, 1), 0.5), 1.0)
    if exact:
        return np.asarray(np.minimum(2 * at_least, 1.0))
    return np.where(2 * x == d, 1 - (at_least - more) / 2, at_least + more)
