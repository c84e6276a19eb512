"""Quantiles and tail probabilities of reference distributions, from ``scipy.special``.

``scipy.stats`` takes seconds to import and a millisecond a call, so the core does not use it.
Tails are always asked for directly, never as one minus the other tail.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from thetahat.values.types import Alternative, FloatArray


def upper_quantile(tail: float, degrees_of_freedom: float | None) -> float:
    """Return the upper quantile of a t variable for the tail probability ``tail`` in (0, 1).

    ``degrees_of_freedom`` of None stands for the normal distribution.
    """
    if degrees_of_freedom is None:
        return -float(special.ndtri(tail))
    return -float(special.stdtrit(degrees_of_freedom, tail))


def p_value_of(
    statistic: float, degrees_of_freedom: float | None, alternative: Alternative
) -> float:
    """Return the p-value of a t statistic, or of a normal one if the degrees are None."""
    if alternative is Alternative.TWO_SIDED:
        return min(1.0, 2 * _lower_tail(-abs(statistic), degrees_of_freedom))
    signed = statistic if alternative is Alternative.LESS else -statistic
    return _lower_tail(signed, degrees_of_freedom)


def p_values_of(
    statistics: FloatArray, degrees_of_freedom: float | None, alternative: Alternative
) -> FloatArray:
    """Return the p-value of each statistic."""
    if alternative is Alternative.TWO_SIDED:
        signed = -np.abs(statistics)
    else:
        signed = statistics if alternative is Alternative.LESS else -statistics
    if degrees_of_freedom is None:
        tails = special.ndtr(signed)
    else:
        tails = special.stdtr(degrees_of_freedom, signed)
    return np.minimum(1.0, 2 * tails) if alternative is Alternative.TWO_SIDED else tails


def binomial_cdf(k: float, n: float, p: float) -> float:
    """Return P(X <= k) for X ~ Binomial(n, p); k is a whole number."""
    if k < 0:
        return 0.0
    if k >= n:
        return 1.0
    return float(special.betaincc(k + 1, n - k, p))


def fair_coin_p_value(k: float, n: float, alternative: Alternative) -> float:
    """Return the exact p-value of k heads in n tosses of a fair coin.

    ``less`` is P(X <= k), ``greater`` P(X >= k), ``two_sided`` twice the smaller of the two, at
    most 1.
    """
    below, above = binomial_cdf(k, n, 0.5), binomial_cdf(n - k, n, 0.5)
    if alternative is Alternative.TWO_SIDED:
        return min(1.0, 2 * min(below, above))
    return below if alternative is Alternative.LESS else above


def f_upper_tail(statistic: float, numerator: float, denominator: float) -> float:
    """Return P(F > statistic) for an F variable of the given degrees of freedom."""
    return float(special.fdtrc(numerator, denominator, statistic))


def _lower_tail(statistic: float, degrees_of_freedom: float | None) -> float:
    if degrees_of_freedom is None:
        return float(special.ndtr(statistic))
    return float(special.stdtr(degrees_of_freedom, statistic))
