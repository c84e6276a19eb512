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


def compute_power(
    difference: float, standard_error: float, degrees_of_freedom: float | None, alpha: float
) -> float:
    r"""Return the probability that the two-sided test rejects if this is the true difference.

    .. math:: P(|T_{\nu, \delta / s}| > t_{\nu, 1 - \alpha / 2})

    with T non-central t, or normal where there are no degrees of freedom. Where the distribution
    function of scipy returns no number (very large arguments), the normal part is negligible beside
    the shift, and :math:`P(\nu (\delta / (s t))^2 > \chi^2_\nu)` is the limit.
    """
    shift = abs(difference) / standard_error
    critical = _compute_critical_value(degrees_of_freedom, alpha)
    if degrees_of_freedom is not None:
        upper = float(nctdtr(degrees_of_freedom, shift, critical))
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


def compute_power_of_rates(difference: float, discordance: float, n: float, alpha: float) -> float:
    r"""Return the power of McNemar's two-sided test if this is the true difference of two rates.

    .. math::
        \Phi\Bigl(\frac{|\delta| \sqrt n - c}{\sqrt{\psi - \delta^2}}\Bigr)
        + \Phi\Bigl(\frac{-|\delta| \sqrt n - c}{\sqrt{\psi - \delta^2}}\Bigr), \quad
        c = z_{1 - \alpha / 2} \sqrt\psi

    with :math:`\psi` the share of discordant instances, which is at least :math:`|\delta|`.

    Source: connor1987.

    Degenerate cases: rates differ by at most 1; a difference of 1 is found once n exceeds the
    square of the quantile.
    """
    delta = min(abs(difference), 1.0)
    psi = min(max(discordance, delta), 1.0)
    critical = _compute_critical_value(None, alpha) * math.sqrt(psi)
    reach, spread = delta * math.sqrt(n), math.sqrt(psi - delta * delta)
    if spread == 0:
        return float(reach > critical)
    return float(ndtr((reach - critical) / spread) + ndtr((-reach - critical) / spread))


def find_detectable_difference_of_rates(
    discordance: float, n: float, alpha: float, power: float
) -> float | None:
    """Return the smallest difference of two rates that McNemar's test finds with this power.

    None if not even a difference of 1 is found.
    """
    if power <= alpha:
        return 0.0
    low, high = 0.0, 1.0
    if compute_power_of_rates(high, discordance, n, alpha) < power:
        return None
    while high - low > _PRECISION * high:
        middle = (low + high) / 2
        if compute_power_of_rates(middle, discordance, n, alpha) < power:
            low = middle
        else:
            high = middle
    return high
