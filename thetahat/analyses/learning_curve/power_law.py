"""A power law through the points of a learning curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.analyses.learning_curve.covariances import MeansOfSizes
from thetahat.distributions import upper_quantile
from thetahat.values.types import FloatArray

FEWEST_SIZES: Final = 4
"""Three parameters leave nothing to see of the fit with fewer."""
_SLOWEST, _FASTEST = 0.01, 5.0
_LARGEST_RELATIVE_ERROR: Final = 0.5
"""Of the exponent: with more, a power law of two times its speed, or none, fits as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerLaw:
    r"""The curve a + b n^-c, by least squares, and the errors of its parameters.

    .. math:: e(n) = a + b n^{-c}

    Each point counts with the inverse of its own variance. The points of one curve are not
    independent (the same test rows, nested training parts), so the errors are those of the
    sandwich :math:`G \Sigma G'`, with :math:`\Sigma` the covariance of the points that
    ``MeansOfSizes`` has and :math:`G` the derivative of the fit by the points.

    Parameters
    ----------
    asymptote, factor, exponent : float
        a, b and c.
    excess : float
        b n^-c at the largest size: what more data could still take away, if the law goes on.
    covariance : ndarray of float
        (3, 3) of a, excess and c.
    largest : float
        The largest n.
    degrees_of_freedom : float
        Of the t intervals.
    residual : float
        Root mean square distance of the points from the curve, in units of the loss.

    Assumptions: the curve is a power law from the smallest size on, and errs to either side
    beyond the sizes that were tried where it is not.

    Source: mukherjee2003 (the law, with weights); viering2023 (its limits); cortes1994.

    Deviations: mukherjee2003 fits quartile curves for its limits; here the covariance of the
    points is carried through.
    """

    asymptote: float
    factor: float
    exponent: float
    excess: float
    covariance: FloatArray
    largest: float
    degrees_of_freedom: float
    residual: float

    def at(self, n: float) -> tuple[float, float]:
        """Return the error at a size and its standard error."""
        u = n / self.largest
        gradient = _gradient(np.array([u]), self.excess, self.exponent)[0]
        value = self.asymptote + self.excess * u**-self.exponent
        return float(value), float(np.sqrt(max(gradient @ self.covariance @ gradient, 0.0)))

    def ends(self, estimate: float, error: float, level: float) -> tuple[float, float]:
        """Return the two-sided t interval."""
        reach = upper_quantile((1 - level) / 2, self.degrees_of_freedom) * error
        return estimate - reach, estimate + reach

    def errors(self) -> tuple[float, float, float]:
        """Return the standard errors of asymptote, excess and exponent."""
        a, b, c = np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        return float(a), float(b), float(c)


def fit_power_law(
    points: MeansOfSizes, lowest: float | None = None
) -> tuple[PowerLaw | None, str | None]:
    """Return the law, or None with the reason why the points do not determine one.

    Parameters
    ----------
    points : MeansOfSizes
        Sizes, means and their covariance.
    lowest : float or None
        Smallest value that the loss can take; an asymptote below it is none.
    """
    n, means = points.sizes, points.means
    if len(n) < FEWEST_SIZES:
        return None, f"a power law has three parameters and needs {FEWEST_SIZES} sizes"
    if np.ptp(means) == 0:
        return None, "the error is the same at every size"
    variances = np.diag(points.covariance)
    if not variances.max() > 0:
        return None, "the points have no variance to weigh them by"
    weights = 1 / np.maximum(variances, 1e-3 * variances.max())
    u = n / n[-1]
    c = _best_exponent(u, means, weights)
    if not 2 * _SLOWEST < c < 0.98 * _FASTEST:
        return None, "no power law fits better than a straight line or a step"
    a, excess = _linear_fit(u, means, weights, c)
    if excess <= 0:
        return None, "the error does not fall with the training size"
    if lowest is not None and a < lowest:
        return None, f"the fitted asymptote, {a:.4g}, is below what the loss can be"
    G = _influence(u, weights, excess, c)
    if G is None:
        return None, "several power laws fit the points equally well"
    covariance = G @ points.covariance @ G.T
    if not np.sqrt(covariance[2, 2]) <= _LARGEST_RELATIVE_ERROR * c:
        return None, f"the exponent, {c:.3g}, is known to no better than half of itself"
    fitted = a + excess * u**-c
    law = PowerLaw(
        asymptote=a,
        factor=float(excess * n[-1] ** c),
        exponent=c,
        excess=excess,
        covariance=covariance,
        largest=float(n[-1]),
        degrees_of_freedom=points.degrees_of_freedom,
        residual=float(np.sqrt(np.mean((means - fitted) ** 2))),
    )
    return law, None


def _best_exponent(u: FloatArray, means: FloatArray, weights: FloatArray) -> float:
    """Return the exponent of the least weighted squares; the other two follow from it."""
    from scipy.optimize import minimize_scalar  # noqa: PLC0415 - costs the API process time

    def loss(log_c: float) -> float:
        c = float(np.exp(log_c))
        a, b = _linear_fit(u, means, weights, c)
        return float((weights * (means - a - b * u**-c) ** 2).sum())

    grid = np.linspace(np.log(_SLOWEST), np.log(_FASTEST), 120)
    at = int(np.argmin([loss(log_c) for log_c in grid]))
    ends = grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)]
    found = minimize_scalar(loss, bounds=ends, method="bounded", options={"xatol": 1e-10})
    return float(np.exp(found.x))


def _linear_fit(
    u: FloatArray, means: FloatArray, weights: FloatArray, c: float
) -> tuple[float, float]:
    x = u**-c
    w = weights / weights.sum()
    x_bar, y_bar = float(w @ x), float(w @ means)
    b = float((w * (x - x_bar)) @ (means - y_bar) / ((w * (x - x_bar)) @ (x - x_bar)))
    return y_bar - b * x_bar, b


def _gradient(u: FloatArray, excess: float, c: float) -> FloatArray:
    """(S, 3) derivatives of a + excess u^-c by a, excess and c."""
    x = u**-c
    return np.column_stack([np.ones_like(u), x, -excess * x * np.log(u)])


def _influence(u: FloatArray, weights: FloatArray, excess: float, c: float) -> FloatArray | None:
    """(3, S) derivative of the parameters by the points; None where it is not determined."""
    D = _gradient(u, excess, c)
    scaled = D * np.sqrt(weights)[:, None]
    size = np.linalg.norm(scaled, axis=0)
    if np.linalg.cond(scaled / size) > 1e6:
        return None
    inverse = np.linalg.pinv(scaled / size) / size[:, None]
    return np.asarray(inverse * np.sqrt(weights))
