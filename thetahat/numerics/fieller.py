r"""Fieller's set of ratios of two means, and the interval of their logarithm.

The set has every r for which the t test of a mean of 0 does not reject for a - r b:

.. math::
    \{r : (m_b^2 - q^2 v_b) r^2 - 2 (m_a m_b - q^2 c) r + m_a^2 - q^2 v_a \le 0\}

with the variances :math:`v_a, v_b` and the covariance c of the means and the quantile q.

Source: fieller1954.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

RatioShape: TypeAlias = Literal["interval", "two_rays", "everything"]
"""The shape of a set of ratios: from the lower to the upper end; up to the lower end, and from the
upper end on; or without any excluded ratio."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeansOfPair:
    """The means of two models with their variances and covariance."""

    a: float
    """Mean of the first model."""
    b: float
    """Mean of the second model, by which it is divided."""
    variance_a: float
    """Variance of the first mean."""
    variance_b: float
    """Variance of the second mean."""
    covariance: float
    """Covariance of the two means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioSet:
    """The ratios that the data do not exclude."""

    shape: RatioShape
    """Whether the set has a gap or limits."""
    lower: float | None
    """Smaller end; None where there is none."""
    upper: float | None
    """Larger end; None where there is none."""
    g: float
    """Squared quantile times the squared standard error of the second mean, relative to that mean:
    from 1 on the second mean may be 0, and the set is no interval."""


def find_ratios(means: MeansOfPair, quantile: float) -> RatioSet:
    """Return Fieller's set for a two-sided quantile above 0.

    Degenerate cases: at g = 1 the set is a single ray, as two rays of which one has no end. Without
    any spread the set is the ratio alone, or everything for two means of 0.

    Source: fieller1954.
    """
    squared = quantile * quantile
    first = means.b * means.b - squared * means.variance_b
    half = means.a * means.b - squared * means.covariance
    last = means.a * means.a - squared * means.variance_a
    g = squared * means.variance_b / (means.b * means.b) if means.b != 0 else math.inf
    discriminant = half * half - first * last
    if first == 0 and half != 0:
        end = last / (2 * half)
        lower, upper = (None, end) if half > 0 else (end, None)
        return RatioSet(shape="two_rays", lower=lower, upper=upper, g=g)
    if first == 0 or (first < 0 and discriminant <= 0):
        return RatioSet(shape="everything", lower=None, upper=None, g=g)
    root = math.sqrt(max(0.0, discriminant))
    stable = half + math.copysign(root, half)
    ends = (stable / first, last / stable) if stable != 0 else (0.0, 0.0)
    shape: RatioShape = "interval" if first > 0 else "two_rays"
    return RatioSet(shape=shape, lower=min(ends), upper=max(ends), g=g)


def find_log_ratios(means: MeansOfPair, quantile: float) -> tuple[float, float, float] | None:
    r"""Return the ends of the interval of the log ratio, as ratios, and its standard error.

    .. math:: \log \frac{m_a}{m_b} \pm q \sqrt{\frac{v_a}{m_a^2} + \frac{v_b}{m_b^2}
        - \frac{2 c}{m_a m_b}}

    Source: katz1978 (for independent rates).

    Degenerate cases: None where a mean is not above 0.
    """
    if not min(means.a, means.b) > 0:
        return None
    relative = means.variance_a / means.a**2 + means.variance_b / means.b**2
    error = math.sqrt(max(0.0, relative - 2 * means.covariance / (means.a * means.b)))
    centre, reach = math.log(means.a / means.b), quantile * error
    return math.exp(centre - reach), math.exp(centre + reach), error
