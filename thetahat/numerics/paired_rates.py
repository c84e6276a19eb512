r"""Tests and interval ends for the difference of two paired rates.

With :math:`x_a` instances on which only a has a 1, and :math:`x_b` on which only b has one, of n,
Tango's score statistic for a true difference :math:`\Delta` is

.. math::
    T(\Delta) = \frac{x_a - x_b - n \Delta}{\sqrt{n (2 q + \Delta (1 - \Delta))}}, \quad
    q = \frac{\sqrt{B^2 - 4 A C} - B}{2 A},

.. math::
    A = 2 n, \quad B = (2 n - x_a + x_b) \Delta - x_a - x_b, \quad C = -x_b \Delta (1 - \Delta),

where q is the maximum likelihood estimate of the probability of the second kind of instance if the
difference is :math:`\Delta`.

Source: tango1998.

Of instances in clusters, the counts are divided by the design effect: the variance of the
difference with clusters as the independent units, over that of independent instances. The
statistic is then compared with a t distribution.

Of instances in K sources of unequal size the counts are those of as many instances of one test set
as their macro mean is worth.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from thetahat.distributions import (
    LEAST_P_VALUE,
    compute_binomial_cdf,
    compute_fair_coin_mid_p_value,
    compute_fair_coin_p_value,
    compute_p_value,
    compute_upper_quantile,
)
from thetahat.numerics.thresholds import (
    FEW_DISCORDANT_CLUSTERS,
    MANY_PAIRED_INSTANCES,
    MOSTLY_DISCORDANT,
)
from thetahat.special_functions import betainc, betainccinv, gammaln, xlog1py, xlogy
from thetahat.values.paired_counts import PairedCounts, count_pair
from thetahat.values.types import Alternative, FloatArray, IntArray

_PRECISION: Final = 1e-14
"""Width of the bracket of an end at which the search stops."""
_MOST_STEPS: Final = 200
"""Steps of the search for an end; halving the bracket takes 50."""
_RATES: Final = 9
"""Rates among which the one with the largest probability is sought, each time in a quarter."""
_ROUNDS: Final = 5
"""Ranges that are searched; more change probabilities above .001 by less than 1e-4 of theirs."""
_PSEUDO_DISCORDANT: Final = 4.0
"""Discordant instances that are added over all sources together, two in each direction."""


def compute_score_statistic(counts: PairedCounts, difference: float) -> float:
    """Return Tango's statistic for a true difference in [-1, 1].

    Degenerate cases: if the data fit the difference exactly and leave no variance, it is 0; if
    they do not fit and leave none, it is infinite.
    """
    n, x_a, x_b = counts.n, counts.only_a, counts.only_b
    if difference < 0:  # the mirrored table keeps the digits of q where it is nearly 0
        return -compute_score_statistic(counts.swap(), -difference)
    b = (2 * n - x_a + x_b) * difference - x_a - x_b
    c = x_b * difference * (1 - difference)  # minus C
    root = math.sqrt(b * b + 8 * n * c)
    q = 2 * c / (root + b) if b > 0 else (root - b) / (4 * n)
    distance = x_a - x_b - n * difference
    variance = n * (2 * q + difference * (1 - difference))
    if variance <= 0:
        return 0.0 if distance == 0 else math.copysign(math.inf, distance)
    return distance / math.sqrt(variance)


def compute_p_value_of_no_difference(
    counts: PairedCounts, alternative: Alternative = Alternative.TWO_SIDED
) -> float:
    """Return McNemar's mid-p value, or that of the score test over clusters.

    It is the exact one where ``is_mostly_discordant``, and 1 where no instance differs.
    """
    if counts.discordant == 0:
        return 1.0
    if counts.degrees_of_freedom is not None:
        statistic = compute_score_statistic(counts, 0.0)
        return compute_p_value(statistic, counts.degrees_of_freedom, alternative)
    compute = (
        compute_fair_coin_p_value
        if is_mostly_discordant(counts.discordant, counts.n)
        else compute_fair_coin_mid_p_value
    )
    return compute(counts.only_a, counts.discordant, alternative)


def is_mostly_discordant(discordant: float, n: float) -> bool:
    """Return whether so many of n instances differ that the mid-p test rejects too often."""
    return discordant >= MOSTLY_DISCORDANT * n


def compute_p_value_of_at_least(counts: PairedCounts, margin: float) -> float:
    r"""Return the p-value of a true difference of at least a positive margin.

    It is :math:`\Phi(T(\Delta))`, and at least the exact probability of tables that favour a as
    much as this one in both counts: of few instances the score test rejects too often. It is never
    above the p-value of no difference.

    Degenerate cases: rates differ by at most 1, so a margin above 1 has the smallest p-value.
    """
    if margin > 1:
        return LEAST_P_VALUE
    statistic = compute_score_statistic(counts, margin)
    p_value = compute_p_value(statistic, counts.degrees_of_freedom, Alternative.LESS)
    largest = (
        compute_p_value_of_no_difference(counts, Alternative.LESS) if counts.only_b > 0 else 1.0
    )
    if p_value >= largest:
        return p_value
    return max(p_value, min(_compute_probability_of_as_good(counts, margin), largest))


def _compute_probability_of_as_good(counts: PairedCounts, difference: float) -> float:
    r"""Return the probability of :math:`X_a \le x_a` and :math:`X_b \ge x_b` for a difference.

    It is the largest one over the unknown rate of the second kind: whatever a test calls as good
    for a as this table holds these tables. Where :math:`x_b` is 0 that rate is 0, and the
    probability binomial, :math:`(1 - \Delta)^n` where no instance differs.

    Counts of clusters and sources are rounded. It is 0 where n is above ``MANY_PAIRED_INSTANCES``
    and :math:`x_b` is not 0.
    """
    if counts.only_b == 0:
        return compute_binomial_cdf(counts.only_a, counts.n, difference)
    if counts.n > MANY_PAIRED_INSTANCES or difference >= 1:
        return 0.0
    n = round(counts.n)
    x_a = min(round(counts.only_a), n - 1)
    x_b = min(max(round(counts.only_b), 1), n - x_a)
    of_a = np.arange(x_a + 1)
    rest = n - of_a
    log_ways = gammaln(n + 1) - gammaln(of_a + 1) - gammaln(rest + 1)
    low, high, largest = 0.0, (1 - difference) / 2, 0.0
    for _ in range(_ROUNDS):
        rates = np.linspace(low, high, _RATES)
        q = rates[:, None]
        p_a = q + difference
        of_tables = np.exp(log_ways + xlogy(of_a, p_a) + xlog1py(rest, -p_a))
        at_least = betainc(x_b, rest - x_b + 1, np.minimum(q / (1 - p_a), 1))
        found = (of_tables * at_least).sum(axis=1)
        best = int(found.argmax())
        largest = max(largest, float(found[best]))
        low, high = rates[max(best - 1, 0)], rates[min(best + 1, _RATES - 1)]
    return largest


def find_upper_end(
    counts: PairedCounts, tail: float, *, exact: bool = True, of_margin: bool = True
) -> float:
    """Return the largest difference that a one-sided test at level ``tail`` does not reject.

    The lower end is minus the upper end of the mirrored table.

    Parameters
    ----------
    tail : float
        The probability beyond the end, in (0, 1).
    exact : bool
        Whether exact tests take part, as in the p-values above: the end is not below 0 where
        McNemar's test does not reject, and not below the binomial end where no instance
        favours a.
    of_margin : bool
        Whether the end agrees with the p-value of a margin, also of few instances; a win rate,
        which has no margin, keeps shorter intervals without it (edges/win_rates).
    """
    end = _find_score_end(counts, -compute_upper_quantile(tail, counts.degrees_of_freedom))
    if not exact:
        return end
    if compute_p_value_of_no_difference(counts, Alternative.LESS) < tail:
        return end
    end = max(end, 0.0)
    if counts.only_b == 0:
        return max(end, _find_binomial_end(counts, tail))
    if not of_margin:
        return end
    return find_zero(lambda at: _compute_probability_of_as_good(counts, at) - tail, end, 1.0)


def _find_binomial_end(counts: PairedCounts, tail: float) -> float:
    """Return the largest rate of which as few as ``only_a`` of n have probability ``tail``."""
    if counts.only_a == counts.n:
        return 1.0
    return float(betainccinv(counts.only_a + 1, counts.n - counts.only_a, tail))


def _find_score_end(counts: PairedCounts, quantile: float) -> float:
    """Return the difference at which the statistic is the quantile.

    It falls as the difference grows, and is 0 at the observed one.
    """
    low, high = (counts.difference, 1.0) if quantile < 0 else (-1.0, counts.difference)
    return find_zero(lambda at: compute_score_statistic(counts, at) - quantile, low, high)


def find_zero(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where a falling function is 0, else the nearest end, by the Illinois method."""
    above, below = function(low), function(high)
    if above <= 0:
        return low
    if below >= 0:
        return high
    kept = 0
    for _ in range(_MOST_STEPS):
        at = high - below * (high - low) / (below - above) if below - above > -math.inf else low
        if not low < at < high:
            at = (low + high) / 2
        if high - low <= _PRECISION or not low < at < high:
            break
        value = function(at)
        if value > 0:
            low, above = at, value
            below = below / 2 if kept > 0 else below
            kept = 1
        else:
            high, below = at, value
            above = above / 2 if kept < 0 else above
            kept = -1
    return (low + high) / 2


def count_clustered_pair(a: FloatArray, b: FloatArray, cluster: IntArray) -> PairedCounts | None:
    r"""Return the table of two models with (n,) values of 0 or 1 in clusters, divided.

    The design effect is :math:`\sum_c (D_c - m_c \bar d)^2 / (1 - m_c / n)` over
    :math:`n (\psi - \bar d^2)`, with :math:`D_c` the sum of the differences in a cluster of
    :math:`m_c` instances and :math:`\psi` the share of discordant ones; at least 1. With fewer than
    ``FEW_DISCORDANT_CLUSTERS`` clusters that have a discordant instance it is little known, and
    shrunk towards :math:`\sum_c m_c^2 / n`, that of clusters whose instances are all alike.

    The degrees of freedom are those of Bell and McCaffrey: C - 1 of C equal clusters, fewer where
    sizes differ. None where there is one cluster, or no discordant instance.

    Source: obuchowski1998, yang2010, bell2002 (degrees of freedom).

    Deviations: the square of a cluster is divided by 1 - m_c / n, as in the CR2 variance; the lower
    limit of 1, and the shrinking.
    """
    differences = a - b
    sizes = np.bincount(cluster).astype(np.float64)
    counts, n = count_pair(a, b), float(len(a))
    if len(sizes) < 2 or counts.discordant == 0:
        return None
    sums = np.bincount(cluster, weights=differences)
    residuals = sums - sizes * counts.difference
    of_clusters = float((residuals**2 / (1 - sizes / n)).sum())
    of_instances = counts.discordant - n * counts.difference**2
    largest = float((sizes**2).sum()) / n
    estimated = max(1.0, of_clusters / of_instances) if of_instances > 0 else largest
    n_discordant = int(np.count_nonzero(np.bincount(cluster, weights=np.abs(differences))))
    weight = min(1.0, n_discordant / FEW_DISCORDANT_CLUSTERS)
    effect = weight * estimated + (1 - weight) * max(estimated, largest)
    return counts.divide(effect, count_degrees_of_clusters(sizes))


def count_degrees_of_clusters(sizes: FloatArray) -> float:
    """Return the Bell-McCaffrey degrees of freedom of a mean over (C,) clusters of these sizes.

    ``variances._clusters`` has the formula.
    """
    if sizes.min() == sizes.max():
        return len(sizes) - 1.0
    share = sizes / sizes.sum()
    q = share**2 / (1 - share)
    return 1 / float(share @ share + q.sum() ** 2 - q @ q)


def count_pair_over_sources(a: FloatArray, b: FloatArray, source: IntArray) -> PairedCounts:
    """Return the table of two models with (n,) values of 0 or 1 in sources that weigh alike."""
    sizes = np.bincount(source)
    only_a, only_b, both = (
        np.bincount(source, weights=cell) for cell in (a * (1 - b), b * (1 - a), a * b)
    )
    return weigh_sources_alike(only_a, only_b, both, sizes)


def weigh_sources_alike(
    only_a: FloatArray | IntArray,
    only_b: FloatArray | IntArray,
    both: FloatArray | IntArray,
    sizes: IntArray,
) -> PairedCounts:
    r"""Return the table of one test set from the (K,) cells of K sources that weigh alike.

    The macro mean of the differences has about the variance of n instances of one test set with

    .. math::
        n = \frac{K \sum_k \psi_k}{\sum_k \psi_k / n_k}, \quad
        \psi_k = \frac{d_k + 4/K}{n_k + 4/K},

    where :math:`d_k` of the :math:`n_k` instances of source k are discordant; the cells are the
    macro means times n. The discordant instances that are added keep a source without any from
    counting as known. Sources of equal size are one test set: the table is that of their instances.

    Where no instance differs, n is K times the size of the smallest source.
    """
    k, total = len(sizes), int(sizes.sum())
    discordant = only_a + only_b
    if sizes.min() == sizes.max():
        n: float = total
    elif not discordant.any():
        n = k * int(sizes.min())
    else:
        added = _PSEUDO_DISCORDANT / k
        psi = (discordant + added) / (sizes + added)
        n = k * float(psi.sum() / (psi / sizes).sum())
    weights = np.full(k, 1.0) if n == total else n / (k * sizes)
    x_a, x_b, x_both = (float(cell @ weights) for cell in (only_a, only_b, both))
    return PairedCounts(only_a=x_a, only_b=x_b, both=x_both, n=n, design_effect=total / n)
