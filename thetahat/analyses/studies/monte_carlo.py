"""Statistics of repetitions, each with its Monte-Carlo standard error.

Repetitions drawn from the same sources are not independent. ``groups`` says which repetitions
share their sources; the errors are then computed from the sums of the groups.
"""

from __future__ import annotations

import math

import numpy as np

from thetahat.values.monte_carlo_number import UNDEFINED, MonteCarloNumber
from thetahat.values.types import FloatArray, IntArray


def estimate_mean(values: FloatArray, groups: IntArray | None = None) -> MonteCarloNumber:
    r"""Return the mean of (R,) values; NaN are left out.

    .. math:: \widehat{se}^2 = \frac{G}{G-1} \frac1{R^2} \sum_g \Bigl(\sum_{r \in g} (x_r - \bar x)
        \Bigr)^2

    which for groups of one repetition is the sample variance over R.
    """
    known = np.isfinite(values)
    x = values[known]
    if len(x) == 0:
        return UNDEFINED
    mean = float(x.mean())
    sums: FloatArray = x - mean
    if groups is not None:
        codes = np.unique(groups[known], return_inverse=True)[1]
        sums = np.bincount(codes, weights=sums).astype(np.float64)
    g = len(sums)
    if g < 2:
        return MonteCarloNumber(mean, None)
    squares = float(sums @ sums)
    return MonteCarloNumber(mean, math.sqrt(g / (g - 1) * squares) / len(x))


def estimate_share(
    event: np.ndarray, among: np.ndarray, groups: IntArray | None = None
) -> MonteCarloNumber:
    """Return the share of the repetitions ``among`` in which an event occurs.

    A share of 0 or 1 gets the standard error of a share that is half a repetition away from it,
    because its true value is not certain.
    """
    values = np.where(among, np.asarray(event, dtype=np.float64), np.nan)
    share = estimate_mean(values, groups)
    n = int(np.count_nonzero(among))
    if share.value in {0.0, 1.0} and n > 1:
        near = 0.5 / n
        return MonteCarloNumber(share.value, math.sqrt(near * (1 - near) / n))
    return share


def compute_interval_score(
    lower: FloatArray, upper: FloatArray, truth: FloatArray, level: float
) -> FloatArray:
    r"""Return the (R,) interval scores: the width plus a penalty for each truth that is missed.

    .. math:: (u - l) + \frac2\alpha (l - t)_+ + \frac2\alpha (t - u)_+

    The expected score is smallest for the interval between the true quantiles, so that the score
    weighs width and coverage in one number. NaN for an infinite end or a missing interval.

    Source: gneiting2007, section 6.2.
    """
    width = upper - lower
    penalty = 2 / (1 - level) * (np.maximum(lower - truth, 0) + np.maximum(truth - upper, 0))
    return np.where(np.isfinite(width), width + penalty, np.nan)


def estimate_variance(values: FloatArray) -> MonteCarloNumber:
    r"""Return the sample variance (ddof 1) of (R,) values; NaN are left out.

    .. math:: \widehat{se}^2 = \frac1R \Bigl(m_4 - \frac{R-3}{R-1} s^4\Bigr)
    """
    x = values[np.isfinite(values)]
    n = len(x)
    if n < 2:
        return UNDEFINED
    squares = (x - x.mean()) ** 2
    variance = float(squares.sum()) / (n - 1)
    if n < 4:
        return MonteCarloNumber(variance, None)
    fourth = float((squares**2).mean())
    square_error = max(fourth - (n - 3) / (n - 1) * variance**2, 0.0) / n
    return MonteCarloNumber(variance, math.sqrt(square_error))


def estimate_deviation(values: FloatArray) -> MonteCarloNumber:
    """Return the sample standard deviation s (ddof 1) of (R,) values; NaN are left out.

    Its error is that of the variance, divided by 2 s.
    """
    variance = estimate_variance(values)
    if variance.value is None:
        return variance
    deviation = math.sqrt(variance.value)
    if variance.standard_error is None:
        return MonteCarloNumber(deviation, None)
    error = variance.standard_error / (2 * deviation) if deviation else 0.0
    return MonteCarloNumber(deviation, error)


def estimate_pooled_variance(values: FloatArray, groups: IntArray) -> MonteCarloNumber:
    """Return the variance within groups: squares about the group means over R - G, without NaN."""
    known = np.isfinite(values)
    x, codes = values[known], np.unique(groups[known], return_inverse=True)[1]
    if len(x) == 0:
        return UNDEFINED
    sizes = np.bincount(codes)
    n, n_groups = len(x), len(sizes)
    if n == n_groups:
        return UNDEFINED
    if n_groups == 1:
        return estimate_variance(x)
    residuals = x - (np.bincount(codes, weights=x) / sizes)[codes]
    # each repetition's share of the sum, so that the mean of the shares is the estimate
    return estimate_mean(residuals**2 * (n / (n - n_groups)), codes)


def divide(a: MonteCarloNumber, b: MonteCarloNumber) -> MonteCarloNumber:
    """Return a over b with the error of first order, taking the two as independent."""
    if a.value is None or not b.value:
        return UNDEFINED
    ratio = a.value / b.value
    if a.standard_error is None or b.standard_error is None:
        return MonteCarloNumber(ratio, None)
    spread = math.hypot(a.standard_error, ratio * b.standard_error)
    return MonteCarloNumber(ratio, spread / abs(b.value))


def divide_by_known(number: MonteCarloNumber, divisor: float | None) -> MonteCarloNumber:
    """Return a number over a divisor that is taken as known without error."""
    if number.value is None or not divisor:
        return UNDEFINED
    error = None if number.standard_error is None else number.standard_error / abs(divisor)
    return MonteCarloNumber(number.value / divisor, error)


def multiply_by_known(number: MonteCarloNumber, factor: float) -> MonteCarloNumber:
    """Return a number times a factor that is known without error."""
    if number.value is None:
        return UNDEFINED
    error = None if number.standard_error is None else number.standard_error * abs(factor)
    return MonteCarloNumber(number.value * factor, error)


def subtract(a: MonteCarloNumber, b: MonteCarloNumber) -> MonteCarloNumber:
    """Return a minus b, taking the two as independent."""
    if a.value is None or b.value is None:
        return UNDEFINED
    if a.standard_error is None or b.standard_error is None:
        return MonteCarloNumber(a.value - b.value, None)
    return MonteCarloNumber(a.value - b.value, math.hypot(a.standard_error, b.standard_error))
