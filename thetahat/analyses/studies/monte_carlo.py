"""Numbers from repetitions, each with its Monte-Carlo standard error.

Repetitions that share what they were drawn from (the same sources) are not independent; where
``groups`` says which do, errors are from the groups' sums.
"""

from __future__ import annotations

import math

import numpy as np

from thetahat.analyses.studies.tables import MonteCarloNumber
from thetahat.values.types import FloatArray, IntArray


def monte_carlo_mean(values: FloatArray, groups: IntArray | None = None) -> MonteCarloNumber:
    r"""Mean of (R,) values; NaN are left out.

    .. math:: \widehat{se}^2 = \frac{G}{G-1} \frac1{R^2} \sum_g \Bigl(\sum_{r \in g} (x_r - \bar x)
        \Bigr)^2

    which for groups of one is the sample variance over R.
    """
    known = np.isfinite(values)
    x = values[known]
    if len(x) == 0:
        return MonteCarloNumber(None)
    mean = float(x.mean())
    sums: FloatArray = x - mean
    if groups is not None:
        codes = np.unique(groups[known], return_inverse=True)[1]
        sums = np.bincount(codes, weights=sums).astype(np.float64)
    g = len(sums)
    if g < 2:
        return MonteCarloNumber(mean)
    squares = float(sums @ sums)
    return MonteCarloNumber(mean, math.sqrt(g / (g - 1) * squares) / len(x))


def monte_carlo_share(
    is_so: np.ndarray, among: np.ndarray, groups: IntArray | None = None
) -> MonteCarloNumber:
    """Share of the repetitions ``among`` which something is so in.

    A share of 0 or 1 has the error of one half a case: it is not known for certain.
    """
    share = monte_carlo_mean(np.where(among, np.asarray(is_so, dtype=np.float64), np.nan), groups)
    n = int(np.count_nonzero(among))
    if share.value in {0.0, 1.0} and n > 1:
        near = 0.5 / n
        return MonteCarloNumber(share.value, math.sqrt(near * (1 - near) / n))
    return share


def interval_score(
    lower: FloatArray, upper: FloatArray, truth: FloatArray, level: float
) -> FloatArray:
    r"""(R,) the interval score: its width, and a fine for every truth that it misses.

    .. math:: (u - l) + \frac2\alpha (l - t)_+ + \frac2\alpha (t - u)_+

    Its mean is least for the interval between the true quantiles, so width and coverage are
    weighed in one number. NaN where an end is infinite or there is no interval.

    Source: gneiting2007, section 6.2.
    """
    width = upper - lower
    fine = 2 / (1 - level) * (np.maximum(lower - truth, 0) + np.maximum(truth - upper, 0))
    return np.where(np.isfinite(width), width + fine, np.nan)


def monte_carlo_variance(values: FloatArray) -> MonteCarloNumber:
    r"""Sample variance (ddof 1) of (R,) values; NaN are left out.

    .. math:: \widehat{se}^2 = \frac1R \Bigl(m_4 - \frac{R-3}{R-1} s^4\Bigr)
    """
    x = values[np.isfinite(values)]
    n = len(x)
    if n < 2:
        return MonteCarloNumber(None)
    squares = (x - x.mean()) ** 2
    variance = float(squares.sum()) / (n - 1)
    if n < 4:
        return MonteCarloNumber(variance)
    fourth = float((squares**2).mean())
    return MonteCarloNumber(
        variance, math.sqrt(max(fourth - (n - 3) / (n - 1) * variance**2, 0.0) / n)
    )


def monte_carlo_deviation(values: FloatArray) -> MonteCarloNumber:
    """Sample standard deviation (ddof 1) of (R,) values; its error is the variance's over 2 s."""
    variance = monte_carlo_variance(values)
    if variance.value is None:
        return variance
    deviation = math.sqrt(variance.value)
    if variance.standard_error is None:
        return MonteCarloNumber(deviation)
    return MonteCarloNumber(
        deviation, variance.standard_error / (2 * deviation) if deviation else 0.0
    )


def monte_carlo_pooled_variance(values: FloatArray, groups: IntArray) -> MonteCarloNumber:
    """Variance within groups: squares about the groups' own means over R - G, NaN left out."""
    known = np.isfinite(values)
    x, codes = values[known], np.unique(groups[known], return_inverse=True)[1]
    if len(x) == 0:
        return MonteCarloNumber(None)
    sizes = np.bincount(codes)
    n, n_groups = len(x), len(sizes)
    if n == n_groups:
        return MonteCarloNumber(None)
    if n_groups == 1:
        return monte_carlo_variance(x)
    about = x - (np.bincount(codes, weights=x) / sizes)[codes]
    # every repetition's share of the sum, so that their mean is the estimate
    return monte_carlo_mean(about**2 * (n / (n - n_groups)), codes)


def divide(above: MonteCarloNumber, below: MonteCarloNumber) -> MonteCarloNumber:
    """Return one number over another, with the error of the first order.

    The two are taken for independent.
    """
    if above.value is None or not below.value:
        return MonteCarloNumber(None)
    ratio = above.value / below.value
    if above.standard_error is None or below.standard_error is None:
        return MonteCarloNumber(ratio)
    spread = math.hypot(above.standard_error, ratio * below.standard_error)
    return MonteCarloNumber(ratio, spread / abs(below.value))


def subtract(a: MonteCarloNumber, b: MonteCarloNumber) -> MonteCarloNumber:
    """Return a minus b; the two are taken for independent."""
    if a.value is None or b.value is None:
        return MonteCarloNumber(None)
    if a.standard_error is None or b.standard_error is None:
        return MonteCarloNumber(a.value - b.value)
    return MonteCarloNumber(a.value - b.value, math.hypot(a.standard_error, b.standard_error))
