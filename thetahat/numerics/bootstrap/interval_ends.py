"""The ends of bootstrap intervals, from sorted replicates.

They are computed from deviations, which are replicates minus the estimate from the data. ``tail``
is the probability beyond each end, which is half of 1 - level for a two-sided interval.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from thetahat.cautions import ACCELERATION_TOO_LARGE, REPLICATES_ON_ONE_SIDE, Caution
from thetahat.special_functions import ndtr, ndtri
from thetahat.values.types import FloatArray

EndDistances = tuple[float | None, float | None]
"""Lower and upper end minus the estimate; None if undefined."""

ROUNDING: Final = 64 * float(np.finfo(np.float64).eps)
"""Deviations up to this share of the numbers they come from are 0, because the same units summed in
another order differ by less: 0.5 eps for three units, 10 eps for 10 000."""


def quantile(sorted_values: FloatArray, p: float) -> float:
    """Return the linearly interpolated quantile of sorted values (numpy's default, type 7)."""
    at = p * (len(sorted_values) - 1)
    low = math.floor(at)
    a, b = float(sorted_values[low]), float(sorted_values[min(low + 1, len(sorted_values) - 1)])
    return a if a == b else a + (at - low) * (b - a)


def percentile_reach(sorted_values: FloatArray, tail: float) -> EndDistances:
    """Return the quantiles of the replicates."""
    return quantile(sorted_values, tail), quantile(sorted_values, 1 - tail)


def basic_reach(sorted_values: FloatArray, tail: float) -> EndDistances:
    """Return the quantiles of the replicates, mirrored at the estimate."""
    return -quantile(sorted_values, 1 - tail), -quantile(sorted_values, tail)


def studentised_reach(ratios: FloatArray, standard_error: float, tail: float) -> EndDistances:
    """Return mirrored quantiles of (replicate - estimate) / its own error, times the data's."""
    ends = []
    for p in (1 - tail, tail):
        value = -quantile(ratios, p) * standard_error
        ends.append(value if math.isfinite(value) else None)
    return ends[0], ends[1]


def ratios_in_order(deviations: FloatArray, errors: FloatArray) -> FloatArray:
    """Return sorted deviation / error; infinite if the error is 0, and 0 if both are 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(deviations == 0, 0.0, deviations / errors)
    return np.sort(ratios)


def compute_rounding(sorted_values: FloatArray, size: float) -> float:
    """Return the largest deviation that is a rounding error.

    ``sorted_values`` are (B,) sorted deviations. ``size`` is that of the numbers that were
    subtracted; 0 if the deviations are sums of residuals.
    """
    return ROUNDING * max(abs(size), -float(sorted_values[0]), float(sorted_values[-1]))


def bca_reach(
    sorted_values: FloatArray, acceleration: float, tail: float, rounding: float = 0.0
) -> tuple[EndDistances, tuple[Caution, ...]]:
    r"""Return quantiles at levels adjusted for bias and for a changing standard error.

    .. math:: \Phi\Bigl(z_0 + \frac{z_0 + z}{1 - a (z_0 + z)}\Bigr), \qquad
        z_0 = \Phi^{-1}\Bigl(\frac{\#\{\theta^* < \hat\theta\} + \tfrac12 \#\{\theta^* =
        \hat\theta\}}{B}\Bigr)

    for z the normal quantile of the tail and of one minus it. Replicates within ``rounding`` of the
    estimate are equal to it: of three sources, 22 % of the resamples draw each once, and their
    sums differ from the estimate in the last digit, if at all.
    """
    below = float(np.searchsorted(sorted_values, -rounding, side="left"))
    upto = float(np.searchsorted(sorted_values, rounding, side="right"))
    share = (below + upto) / (2 * len(sorted_values))
    if not 0 < share < 1:
        caution = REPLICATES_ON_ONE_SIDE()
        return (None, None), (caution,)
    z_0 = float(ndtri(share))
    ends: list[float] = []
    for z in (float(ndtri(tail)), -float(ndtri(tail))):
        stretch = 1 - acceleration * (z_0 + z)
        if stretch <= 0:
            caution = ACCELERATION_TOO_LARGE(acceleration=acceleration)
            return (None, None), (caution,)
        ends.append(quantile(sorted_values, float(ndtr(z_0 + (z_0 + z) / stretch))))
    return (ends[0], ends[1]), ()
