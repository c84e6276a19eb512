"""A power law through the mean losses of a learning curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from thetahat.analyses.learning_curve.covariances import MeansOfSizes
from thetahat.distributions import compute_upper_quantile
from thetahat.values.number_text import format_number
from thetahat.values.types import FloatArray

MIN_SIZES: Final = 4
"""With three parameters and fewer sizes, the law fits every curve."""
_SLOWEST, _FASTEST = 0.01, 5.0
_MAX_RELATIVE_ERROR: Final = 0.5
"""Largest relative standard error of the exponent. Beyond it, a law with twice the exponent, or
with the exponent 0, fits about as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerLaw:
    r"""The curve a + b n^-c, fitted by least squares, with the covariance of its parameters.

    .. math:: e(n) = a + b n^{-c}

    Each mean is weighted with the inverse of its variance. The means of one curve are not
    independent (the same test rows, nested training parts), so the covariance of the parameters
    is the sandwich :math:`G \Sigma G'`, with :math:`\Sigma` the covariance in ``MeansOfSizes``
    and :math:`G` the derivative of the parameters by the means.

    Assumptions: the curve is a power law from the smallest size on. Where it is not, predictions
    beyond the sizes that were tried may be too large or too small.

    Source: mukherjee2003 (the law, with weights); viering2023 (its limits); cortes1994.

    Deviations: mukherjee2003 fits curves to quartiles for its limits; here they follow from the
    covariance of the means.
    """

    asymptote: float
    factor: float
    exponent: float
    """a, b and c."""
    excess: float
    """b n^-c at the largest size: the error that more rows could remove if the law goes on."""
    covariance: FloatArray
    """(3, 3) covariance of asymptote, excess and exponent."""
    largest: float
    """The largest training size."""
    degrees_of_freedom: float
    """Degrees of freedom of the t intervals."""
    residual: float
    """Root mean square distance of the means from the curve, in units of the loss."""

    def predict(self, n: float) -> tuple[float, float]:
        """Return the error at a training size, and its standard error."""
        u = n / self.largest
        gradient = _compute_gradient(np.array([u]), self.excess, self.exponent)[0]
        value = self.asymptote + self.excess * u**-self.exponent
        return float(value), float(np.sqrt(max(gradient @ self.covariance @ gradient, 0.0)))

    def interval(self, estimate: float, standard_error: float, level: float) -> tuple[float, float]:
        """Return the ends of the two-sided t interval about an estimate."""
        reach = compute_upper_quantile((1 - level) / 2, self.degrees_of_freedom) * standard_error
        return estimate - reach, estimate + reach

    def standard_errors(self) -> tuple[float, float, float]:
        """Return the standard errors of asymptote, excess and exponent."""
        a, b, c = np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        return float(a), float(b), float(c)


def fit_power_law(
    means_of_sizes: MeansOfSizes, lowest: float | None = None
) -> tuple[PowerLaw | None, str | None]:
    """Return the law, or None with the reason why the means do not determine one.

    ``means_of_sizes`` has sizes, means and their covariance; ``lowest`` is the smallest value that
    the loss can take: a law with an asymptote below it is refused.
    """
    n, means = means_of_sizes.sizes, means_of_sizes.means
    if len(n) < MIN_SIZES:
        return None, f"a power law has three parameters and needs at least {MIN_SIZES} sizes"
    if np.ptp(means) == 0:
        return None, "the error is the same at every size"
    variances = np.diag(means_of_sizes.covariance)
    if not variances.max() > 0:
        return None, "the mean losses have no variance to weight them by"
    weights = 1 / np.maximum(variances, 1e-3 * variances.max())
    u = n / n[-1]
    c = _find_best_exponent(u, means, weights)
    if not 2 * _SLOWEST < c < 0.98 * _FASTEST:
        return None, "a straight line or a step fits as well as any power law"
    a, excess = _fit_linear_part(u, means, weights, c)
    if excess <= 0:
        return None, "the error does not fall with the training size"
    if lowest is not None and a < lowest:
        return (
            None,
            f"the fitted asymptote, {format_number(a)}, is below the smallest possible loss",
        )
    G = _compute_influence(u, weights, excess, c)
    if G is None:
        return None, "several power laws fit the mean losses equally well"
    covariance = G @ means_of_sizes.covariance @ G.T
    if not np.sqrt(covariance[2, 2]) <= _MAX_RELATIVE_ERROR * c:
        return (
            None,
            f"the standard error of the exponent, {format_number(c)}, is more than half of it",
        )
    fitted = a + excess * u**-c
    law = PowerLaw(
        asymptote=a,
        factor=float(excess * n[-1] ** c),
        exponent=c,
        excess=excess,
        covariance=covariance,
        largest=float(n[-1]),
        degrees_of_freedom=means_of_sizes.degrees_of_freedom,
        residual=float(np.sqrt(np.mean((means - fitted) ** 2))),
    )
    return law, None


def _find_best_exponent(u: FloatArray, means: FloatArray, weights: FloatArray) -> float:
    """Return the exponent with the least weighted squares; it determines the other parameters."""

    def loss(log_c: float) -> float:
        c = float(np.exp(log_c))
        a, b = _fit_linear_part(u, means, weights, c)
        return float((weights * (means - a - b * u**-c) ** 2).sum())

    grid = np.linspace(np.log(_SLOWEST), np.log(_FASTEST), 120)
    at = int(np.argmin([loss(log_c) for log_c in grid]))
    ends = grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)]
    minimum = scipy.optimize.minimize_scalar(
        loss, bounds=ends, method="bounded", options={"xatol": 1e-10}
    )
    return float(np.exp(minimum.x))


def _fit_linear_part(
    u: FloatArray, means: FloatArray, weights: FloatArray, c: float
) -> tuple[float, float]:
    """Return a and b of the weighted least squares fit of a + b u^-c."""
    x = u**-c
    w = weights / weights.sum()
    x_bar, y_bar = float(w @ x), float(w @ means)
    b = float((w * (x - x_bar)) @ (means - y_bar) / ((w * (x - x_bar)) @ (x - x_bar)))
    return y_bar - b * x_bar, b


def _compute_gradient(u: FloatArray, excess: float, c: float) -> FloatArray:
    """Return the (S, 3) derivatives of a + excess u^-c by a, excess and c."""
    x = u**-c
    return np.column_stack([np.ones_like(u), x, -excess * x * np.log(u)])


def _compute_influence(
    u: FloatArray, weights: FloatArray, excess: float, c: float
) -> FloatArray | None:
    """Return the (3, S) derivatives of the parameters by the means; None if undetermined."""
    D = _compute_gradient(u, excess, c)
    scaled = D * np.sqrt(weights)[:, None]
    norms = np.linalg.norm(scaled, axis=0)
    if np.linalg.cond(scaled / norms) > 1e6:
        return None
    inverse = np.linalg.pinv(scaled / norms) / norms[:, None]
    return np.asarray(inverse * np.sqrt(weights))
