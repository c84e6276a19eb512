"""The bootstrap replicates of one mean, or of one difference of means."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thetahat.numerics.bootstrap.interval_ends import compute_rounding
from thetahat.numerics.bootstrap.units import Units
from thetahat.values.types import FloatArray


@dataclass(frozen=True, eq=False)
class Replicates:
    """The replicates of one model or one pair."""

    units: Units
    """The units that were drawn."""
    estimate: float
    """The mean of the data."""
    deviations: FloatArray
    """(B,) each resample's mean minus ``estimate``."""
    residuals: FloatArray
    """(U,) of the data."""
    draw_errors: Callable[[], FloatArray]
    """Returns the (B,) standard errors of the resamples' means."""

    @property
    def n_resamples(self) -> int:
        """B, the number of resamples."""
        return len(self.deviations)

    @cached_property
    def sorted_deviations(self) -> FloatArray:
        """The (B,) sorted deviations."""
        return np.sort(self.deviations)

    @property
    def rounding(self) -> float:
        """The largest deviation that is a rounding error."""
        return compute_rounding(self.sorted_deviations, 0.0)

    @cached_property
    def variance(self) -> float:
        """Sample variance (ddof 1) of the replicates."""
        return float(self.deviations.var(ddof=1))

    @property
    def is_constant(self) -> bool:
        """Whether every resample has the same mean, so that the replicates have no information."""
        return not self.residuals.any()

    @cached_property
    def errors(self) -> FloatArray:
        """The (B,) standard errors of the resamples, by the formula of ``standard_error``."""
        return self.draw_errors()

    @cached_property
    def standard_error(self) -> float:
        r"""Standard error of the mean by its formula, not by resampling.

        The root of :math:`\frac1{S^2} \sum_k V_k / n_k` with V_k the variance (ddof 1) of the
        units of stratum k, and the cluster-robust one (CR1) where units have sizes.
        """
        units, n_k = self.units, self.units.in_stratum
        if units.sizes is not None:
            c = units.n_units
            total = float(self.residuals @ self.residuals)
            return math.sqrt(c / (c - 1) * total) / float(units.sizes.sum())
        squares = units.by_stratum(self.residuals**2)
        return math.sqrt(float((squares / (n_k * np.maximum(n_k - 1, 1))).sum())) / units.n_strata

    @cached_property
    def acceleration(self) -> float:
        r"""Acceleration of BCa: a sixth of the jackknife's skewness, in closed form.

        .. math:: a = \frac{\sum_u U_u^3}{6 (\sum_u U_u^2)^{3/2}}

        with U the mean jackknife value less the one without unit u; strata enter as several
        samples do, by the share of a unit in the mean.
        """
        units = self.units
        if units.sizes is not None:
            without = -self.residuals / (units.sizes.sum() - units.sizes)
            U = without.mean() - without
        else:
            U = self.residuals / np.repeat(units.in_stratum, units.in_stratum)
        return compute_acceleration(U)


def compute_acceleration(U: FloatArray) -> float:
    r"""Return :math:`\sum U^3 / (6 (\sum U^2)^{3/2})` of (n,) influences; 0 where all are 0."""
    scale = float(np.abs(U).max())
    if scale == 0:
        return 0.0
    U = U / scale  # squares of tiny losses leave double precision
    squares = U * U
    return float(squares @ U / (6 * squares.sum() ** 1.5))
