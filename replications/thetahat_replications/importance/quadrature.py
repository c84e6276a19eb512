"""Moments of the example setting by numerical integration, to check its closed forms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from scipy.special import ndtr

from thetahat.values.types import FloatArray
from thetahat_replications.importance.example_setting import THETA

N_POINTS: Final = 40_001
DEVIATIONS: Final = 14.0
"""The grid reaches so many standard deviations of the widest of the integrated densities."""


@dataclass(frozen=True, eq=False)
class ExampleQuadrature:
    """Integrals over the source N(-1, g^2), g above 1/sqrt(2), by the trapezoidal rule.

    The integrands are normal densities times polynomials and the distribution function of a normal,
    for which the error of the trapezoidal rule falls exponentially with the number of points.
    """

    scale: float
    """g, the standard deviation of the source."""

    @cached_property
    def _x(self) -> FloatArray:
        # squared weights move the mean and the variance of the source to these
        precision = 2 - 1 / self.scale**2
        mean, sd = 1 / (self.scale**2 * precision), math.sqrt(1 / precision)
        widest = max(sd, self.scale, 1.0)
        return np.linspace(-1 - DEVIATIONS * widest, mean + DEVIATIONS * widest, N_POINTS)

    def mean_weight(self) -> float:
        """Return the expected weight."""
        return self._integrate(np.ones(N_POINTS), power_of_weight=1)

    def weight_variance(self) -> float:
        """Return the variance of the weights about one."""
        return self._integrate(np.ones(N_POINTS), power_of_weight=2) - 1

    def variance(self, risk: str) -> float:
        """Return the variance of one row's term in the target, weighted or controlled risk."""
        mean_loss = self._integrate(self._compute_mean_losses(1), power_of_weight=1)
        if risk == "target":
            return self._integrate(self._compute_mean_losses(2), power_of_weight=1) - mean_loss**2
        weighted = self._integrate(self._compute_mean_losses(2), power_of_weight=2) - mean_loss**2
        if risk == "weighted":
            return weighted
        spread = self.weight_variance()
        covariance = self._integrate(self._compute_mean_losses(1), power_of_weight=2) - mean_loss
        beta = covariance / spread
        return weighted - 2 * beta * covariance + beta**2 * spread

    def _compute_mean_losses(self, power: int) -> FloatArray:
        """Return the expected power of the loss at each x, over the two labels."""
        x = self._x
        share = ndtr(x)
        plus, minus = ((x * THETA - y) ** (2 * power) for y in (1, -1))
        return np.asarray(share * plus + (1 - share) * minus)

    def _integrate(self, values: FloatArray, *, power_of_weight: int) -> float:
        """Return the integral of values times a power of the weight over the source."""
        x, g, k = self._x, self.scale, power_of_weight
        log_source = -((x + 1) ** 2) / (2 * g * g) - math.log(g)
        log_target = -(x**2) / 2
        density = np.exp(k * log_target + (1 - k) * log_source) / math.sqrt(2 * math.pi)
        return float((density * values).sum() * (x[1] - x[0]))
