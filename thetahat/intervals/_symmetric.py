"""Intervals that are symmetric about an estimate."""

from __future__ import annotations

import math

import numpy as np

from thetahat.cautions import Caution
from thetahat.distributions import compute_tail_probability, compute_upper_quantile
from thetahat.intervals.base import Ends, Interval, drop_open_end
from thetahat.values.types import Alternative
from thetahat.variances.base import VarianceEstimate


def get_usable_variance(variance: VarianceEstimate) -> float | None:
    """Return the variance if an interval may be built on it, else None."""
    if not variance.usable or isinstance(variance.value, np.ndarray):
        return None
    return variance.value if 0 < variance.value < math.inf else None


def compute_symmetric_ends(
    estimate: float,
    standard_error: float,
    degrees_of_freedom: float | None,
    level: float,
    alternative: Alternative,
) -> Ends | None:
    """Return the estimate plus and minus a quantile times the standard error; open ends are None.

    Returns None if an end overflows to infinity.
    """
    reach = (
        compute_upper_quantile(compute_tail_probability(level, alternative), degrees_of_freedom)
        * standard_error
    )
    lower, upper = estimate - reach, estimate + reach
    if not (math.isfinite(lower) and math.isfinite(upper)):
        return None
    return drop_open_end(lower, upper, alternative)


def build_symmetric_interval(  # noqa: PLR0913 - one argument for each field that differs
    method: str,
    variance_name: str,
    variance: VarianceEstimate,
    standard_error: float,
    degrees_of_freedom: float | None,
    level: float,
    alternative: Alternative,
    cautions: tuple[Caution, ...] = (),
) -> Interval | None:
    """Build the interval of ``compute_symmetric_ends``, with the cautions of the variance first.

    Returns None if an end overflows to infinity.
    """
    ends = compute_symmetric_ends(
        variance.estimate, standard_error, degrees_of_freedom, level, alternative
    )
    if ends is None:
        return None
    return Interval(
        method=method,
        variance=variance_name,
        target=variance.target,
        mean=variance.mean,
        estimate=variance.estimate,
        standard_error=standard_error,
        level=level,
        alternative=alternative,
        lower=ends[0],
        upper=ends[1],
        degrees_of_freedom=degrees_of_freedom,
        cautions=(*variance.cautions, *cautions),
    )
