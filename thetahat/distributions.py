"""Quantiles and tail probabilities of reference distributions, from ``scipy.special``.

``scipy.stats`` takes seconds to import and a millisecond a call, so the core does not use it.
Tails are always asked for directly, never as one minus the other tail. No p-value of a test is 0:
below ``LEAST_P_VALUE``, where probabilities lose their digits and then are 0, it is that number.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

import numpy as np

from thetahat import special_functions as special
from thetahat.parameter_checks import check_level
from thetahat.values.types import Alternative, FloatArray

LEAST_P_VALUE: Final = float(np.finfo(np.float64).tiny)
"""The least p-value, 2.2e-308: the smallest number that has all its digits."""


def compute_upper_quantile(tail: float, degrees_of_freedom: float | None) -> float:
    """Return the quantile that a t variable exceeds with probability ``tail``, in (0, 1).

    ``degrees_of_freedom`` of None means the normal distribution.
    """
    if degrees_of_freedom is None:
        return -float(special.ndtri(tail))
    return -float(special.stdtrit(degrees_of_freedom, tail))


def compute_alpha(level: float) -> float:
    """Return 1 - level, computed in decimals: 0.05 for 0.95, and not 0.050000000000000044.

    Verdicts and tests compare p-values with it, and results show it.
    """
    return float(1 - Decimal(repr(float(level))))


def compute_tail_probability(level: float, alternative: Alternative) -> float:
    """Return the probability that an interval leaves out at each of its ends.

    That is 1 - level for a one-sided interval and half of it for a two-sided one. Raises
    ``InvalidParameter`` unless the level is above 0 and below 1.
    """
    check_level(level)
    return (1 - level) / 2 if alternative is Alternative.TWO_SIDED else 1 - level


def compute_p_value(
    statistic: float, degrees_of_freedom: float | None, alternative: Alternative
) -> float:
    """Return the p-value of a t statistic; ``degrees_of_freedom`` of None means a normal one."""
    if alternative is Alternative.TWO_SIDED:
        return bound_p_value(2 * _compute_lower_tail(-abs(statistic), degrees_of_freedom))
    signed = statistic if alternative is Alternative.LESS else -statistic
    return bound_p_value(_compute_lower_tail(signed, degrees_of_freedom))


def compute_p_values(
    statistics: FloatArray, degrees_of_freedom: float | None, alternative: Alternative
) -> FloatArray:
    """Return the p-values of t statistics, or of normal ones, as ``compute_p_value`` does."""
    if alternative is Alternative.TWO_SIDED:
        signed = -np.abs(statistics)
    else:
        signed = statistics if alternative is Alternative.LESS else -statistics
    if degrees_of_freedom is None:
        tails = special.ndtr(signed)
    else:
        tails = special.stdtr(degrees_of_freedom, signed)
    factor = 2 if alternative is Alternative.TWO_SIDED else 1
    return np.asarray(np.clip(factor * tails, LEAST_P_VALUE, 1.0))


def bound_p_value(probability: float) -> float:
    """Return a p-value that is at most 1, and above 0."""
    return min(1.0, max(probability, LEAST_P_VALUE))


def compute_binomial_cdf(k: float, n: float, p: float) -> float:
    """Return P(X <= k) for X ~ Binomial(n, p); k is a whole number."""
    if k < 0:
        return 0.0
    if k >= n:
        return 1.0
    return float(special.betaincc(k + 1, n - k, p))


def compute_fair_coin_p_value(k: float, n: float, alternative: Alternative) -> float:
    """Return the exact p-value of k heads in n tosses of a fair coin.

    ``less`` is P(X <= k), ``greater`` P(X >= k), ``two_sided`` twice the smaller of the two, at
    most 1.
    """
    below, above = compute_binomial_cdf(k, n, 0.5), compute_binomial_cdf(n - k, n, 0.5)
    if alternative is Alternative.TWO_SIDED:
        return bound_p_value(2 * min(below, above))
    return bound_p_value(below if alternative is Alternative.LESS else above)


def compute_fair_coin_mid_p_value(k: float, n: float, alternative: Alternative) -> float:
    """Return the p-value of k heads in n tosses, with the observed count taken half.

    It is a sum of tails, so that nothing cancels. With as many heads as tails the two-sided value
    is one minus half the probability of the observed count.

    Source: fagerland2013.
    """
    if alternative is Alternative.TWO_SIDED:
        k = min(k, n - k)
        above, below = compute_binomial_cdf(k, n, 0.5), compute_binomial_cdf(k - 1, n, 0.5)
        return 1 - (above - below) / 2 if 2 * k == n else bound_p_value(above + below)
    k = k if alternative is Alternative.LESS else n - k
    return bound_p_value(
        (compute_binomial_cdf(k, n, 0.5) + compute_binomial_cdf(k - 1, n, 0.5)) / 2
    )


def compute_f_upper_tail(statistic: float, numerator: float, denominator: float) -> float:
    """Return P(F > statistic) for an F variable of the given degrees of freedom, above 0."""
    return bound_p_value(float(special.fdtrc(numerator, denominator, statistic)))


def compute_chi_squared_tail(statistic: float, degrees_of_freedom: float) -> float:
    """Return P(chi squared > statistic), above 0."""
    return bound_p_value(float(special.chdtrc(degrees_of_freedom, statistic)))


def count_extreme(
    values: FloatArray, observed: float, slack: float, alternative: Alternative
) -> int:
    """Count the values of a reference sample at least as extreme as the observed one.

    For two sides these are the values at least as far from 0. ``slack`` is the difference up to
    which two values are equal.
    """
    if alternative is Alternative.TWO_SIDED:
        return int(np.count_nonzero(np.abs(values) >= abs(observed) - slack))
    if alternative is Alternative.LESS:
        return int(np.count_nonzero(values <= observed + slack))
    return int(np.count_nonzero(values >= observed - slack))


def _compute_lower_tail(statistic: float, degrees_of_freedom: float | None) -> float:
    if degrees_of_freedom is None:
        return float(special.ndtr(statistic))
    return float(special.stdtr(degrees_of_freedom, statistic))
