"""The power of a two-sided test, and the smallest difference that it detects."""

from __future__ import annotations

import math
from functools import lru_cache

from thetahat.distributions import compute_upper_quantile
from thetahat.special_functions import chdtr, nctdtr, ndtr

_PRECISION = 1e-10
"""Relative precision of the smallest difference; variances are known far less precisely."""

_MAX_STANDARD_ERRORS = 1e100
"""Largest difference of the search, in standard errors."""

_FAR = 1e4
"""Shift from which scipy's function takes milliseconds; the limit agrees to seven digits there."""


def compute_power(
    difference: float,
    standard_error: float,
    degrees_of_freedom: float | None,
    alpha: float,
    *,
    widening: float = 1.0,
) -> float:
    r"""Return the probability that the two-sided test rejects if this is the true difference.

    .. math:: P(|T_{\nu, \delta / s}| > t_{\nu, 1 - \alpha / 2})

    with T non-central t, or normal where there are no degrees of freedom. Where the shift is above
    ``_FAR``, or the distribution function of scipy returns no number (very large arguments), the
    normal part is negligible beside the shift, and
    :math:`P(\nu (\delta / (s t))^2 > \chi^2_\nu)` is the limit.

    ``widening`` is the ratio of the standard error without any difference, which a score test has
    in its statistic, to the one with this difference.
    """
    shift = abs(difference) / standard_error
    critical = _compute_critical_value(degrees_of_freedom, alpha) * widening
    if degrees_of_freedom is not None:
        upper = math.inf if shift > _FAR else float(nctdtr(degrees_of_freedom, shift, critical))
        if math.isfinite(upper):
            return 1 - upper + _compute_far_tail(degrees_of_freedom, shift, critical)
        ratio = min(shift / max(critical, 1e-100), 1e100)  # critical is 0 for a level near 0
        return float(chdtr(degrees_of_freedom, degrees_of_freedom * ratio**2))
    return float(ndtr(shift - critical) + ndtr(-shift - critical))


def _compute_far_tail(degrees_of_freedom: float, shift: float, critical: float) -> float:
    """Return P(T < -critical), or 0 where scipy's distribution function returns no number.

    T < 0 needs a standard normal variable below -shift. The function fails for shifts of several
    standard errors only, where this probability is negligible.
    """
    lower = float(nctdtr(degrees_of_freedom, shift, -critical))
    return lower if math.isfinite(lower) else float(ndtr(-shift - critical))


@lru_cache(maxsize=4096)
def _compute_critical_value(degrees_of_freedom: float | None, alpha: float) -> float:
    return compute_upper_quantile(alpha / 2, degrees_of_freedom)


def find_detectable_difference(
    standard_error: float, degrees_of_freedom: float | None, alpha: float, power: float
) -> float:
    r"""Return the smallest true difference that the two-sided test detects with this power.

    .. math:: \delta = s\, c, \qquad P(|T_{\nu, c}| > t_{\nu, 1 - \alpha / 2}) = \pi

    with s the estimated standard error, whose uncertainty it shares. It is also called the minimal
    detectable difference (or effect).

    Degenerate cases: 0 if the requested power is at most alpha, because a test has power alpha
    without any difference.
    """
    return standard_error * _find_standard_errors(degrees_of_freedom, alpha, power)


@lru_cache(maxsize=4096)
def _find_standard_errors(degrees_of_freedom: float | None, alpha: float, power: float) -> float:
    if power <= alpha:
        return 0.0
    low, high = 0.0, 1.0
    while compute_power(high, 1.0, degrees_of_freedom, alpha) < power:
        low, high = high, 2 * high
        if high > _MAX_STANDARD_ERRORS:
            return math.inf
    while high - low > _PRECISION * high:
        middle = (low + high) / 2
        if compute_power(middle, 1.0, degrees_of_freedom, alpha) < power:
            low = middle
        else:
            high = middle
    return high
