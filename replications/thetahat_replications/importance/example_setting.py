r"""The example setting of the source text in closed form.

Source :math:`N(-1, g^2)`, target :math:`N(0, 1)`, labels 1 with probability
:math:`\Phi(x)` and -1 otherwise, quadratic loss :math:`(x \theta - y)^2` with
:math:`\theta = 1/\sqrt\pi`. Everything follows from moments of :math:`x^k` and
:math:`x^k \Phi(x)` under normal distributions, since the density ratio turns one normal density
into another.

Source: kouw2019, sections 2.1, 3.1 and 4.1.

Deviations: the variance of the weights has a root in its denominator that the text's print lacks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import ndtr

from thetahat.errors import InvalidParameter

THETA = 1 / math.sqrt(math.pi)
_MIN_VALUE = math.sqrt(0.5)


@dataclass(frozen=True, slots=True)
class ExampleSetting:
    """The setting for one standard deviation of the source."""

    scale: float
    """g, above 0. At 1/sqrt(2) and below the variance of the weights is infinite."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.scale) and self.scale > 0):
            raise InvalidParameter(
                f"scale must be a number above 0, got {self.scale}.",
                loc=("scale",),
                value=str(self.scale),
            )

    def weight(self, x: float) -> float:
        """Return the density ratio at x."""
        g = self.scale
        return g * math.exp((x + 1) ** 2 / (2 * g * g) - x * x / 2)

    def weight_variance(self, dimensions: int = 1) -> float:
        """Return the variance of the weights over the source; infinite for g <= 1/sqrt(2).

        In two dimensions both are scaled by g and the first is shifted by 1.
        """
        if self.scale <= _MIN_VALUE:
            return math.inf
        excess = 2 * self.scale**2 - 1
        factor = (self.scale**2 / math.sqrt(excess)) ** dimensions
        return factor * math.exp(1 / excess) - 1

    def target_risk(self) -> float:
        """Return the expected loss under the target."""
        return _compute_mean_loss(0.0, 1.0)

    def target_variance(self) -> float:
        """Return σ_T², the variance of one loss under the target."""
        return _compute_mean_square(0.0, 1.0) - self.target_risk() ** 2

    def weighted_variance(self) -> float:
        """Return σ_W², the variance of one weighted loss; infinite for g <= 1/sqrt(2)."""
        if self.scale <= _MIN_VALUE:
            return math.inf
        return (
            self._compute_second_moment() * _compute_mean_square(*self._compute_tilted_normal())
            - self.target_risk() ** 2
        )

    def controlled_variance(self) -> float:
        """Return σ_β², with the best beta; infinite for g <= 1/sqrt(2)."""
        return self.weighted_variance() * (1 - self.squared_correlation())

    def best_beta(self) -> float:
        """Return the beta that minimises the controlled variance; it exists for g > 1/sqrt(2)."""
        return self._compute_covariance() / self.weight_variance()

    def squared_correlation(self) -> float:
        """Return the squared correlation of weighted loss and weight; 0 for g <= 1/sqrt(2)."""
        if self.scale <= _MIN_VALUE:
            return 0.0
        return self._compute_covariance() ** 2 / self.weight_variance() / self.weighted_variance()

    def share_above(self, constant: float, *, mean: float, sd: float) -> float:
        """Return the probability that the weight of x exceeds a constant, with x normal.

        The source has the mean -1 and the standard deviation g, the target 0 and 1.
        """
        g = self.scale
        # the weight exceeds the constant where a x^2 + b x + c > 0
        a = 1 / (2 * g * g) - 0.5
        b = 1 / (g * g)
        c = 1 / (2 * g * g) + math.log(g) - math.log(constant)
        if a == 0:
            ends = (-math.inf, -c / b)
        else:
            root = b * b - 4 * a * c
            if root <= 0:
                return 1.0 if a > 0 else 0.0
            low, high = sorted((-b + s * math.sqrt(root)) / (2 * a) for s in (-1, 1))
            ends = (low, high)
        between = float(ndtr((ends[1] - mean) / sd) - ndtr((ends[0] - mean) / sd))
        return 1 - between if a >= 0 else between

    def _compute_tilted_normal(self) -> tuple[float, float]:
        """Return the mean and variance of the normal density proportional to target x weight."""
        precision = 2 - 1 / self.scale**2
        return 1 / (self.scale**2 * precision), 1 / precision

    def _compute_second_moment(self) -> float:
        return self.weight_variance() + 1

    def _compute_covariance(self) -> float:
        """Return the covariance of weighted loss and weight under the source."""
        return (
            self._compute_second_moment() * _compute_mean_loss(*self._compute_tilted_normal())
            - self.target_risk()
        )


def _compute_mean_loss(mean: float, variance: float) -> float:
    """Return the expected loss with x normal: E[(x t)^2 - 2 x t (2 Phi(x) - 1) + 1]."""
    power, with_phi = _compute_moments(mean, variance)
    return THETA**2 * power[2] - 2 * THETA * (2 * with_phi[1] - power[1]) + 1


def _compute_mean_square(mean: float, variance: float) -> float:
    """Return the expected squared loss: the even part of (x t - y)^4, and the odd part by Phi."""
    power, with_phi = _compute_moments(mean, variance)
    t = THETA
    even = t**4 * power[4] + 6 * t**2 * power[2] + 1
    odd = 4 * (t**3 * (2 * with_phi[3] - power[3]) + t * (2 * with_phi[1] - power[1]))
    return even - odd


def _compute_moments(mean: float, variance: float) -> tuple[list[float], list[float]]:
    """Return E[x^k] and E[x^k Phi(x)], k = 0 to 4, for x normal, by Stein's identity."""
    power, with_phi = [1.0], [float(ndtr(mean / math.sqrt(1 + variance)))]
    # phi(x) times the normal is this height times another normal
    height = math.exp(-(mean**2) / (2 * (1 + variance))) / math.sqrt(2 * math.pi * (1 + variance))
    inner_mean, inner_variance = mean / (1 + variance), variance / (1 + variance)
    inner = [1.0]
    for k in range(4):
        before = k * power[k - 1] if k else 0.0
        power.append(mean * power[k] + variance * before)
        phi_before = k * with_phi[k - 1] if k else 0.0
        with_phi.append(mean * with_phi[k] + variance * (phi_before + height * inner[k]))
        inner.append(inner_mean * inner[k] + inner_variance * (k * inner[k - 1] if k else 0.0))
    return power, with_phi
