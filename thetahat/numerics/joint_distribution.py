r"""The joint distribution of the standardised differences of models, for step-down max-t.

With :math:`\Sigma` the covariance of the models' means, the differences of a family of pairs are,
if no two models differ, jointly normal with the covariances that follow from :math:`\Sigma`, and

.. math:: P\Big(\max_{(i,j)} |Z_i - Z_j| / \sigma_{ij} > z\Big)
    = E\, \bar F_{\chi^2_r}\big((z / M(U))^2\big), \qquad
    M(U) = \max_{(i,j)} |(A U)_i - (A U)_j| / \sigma_{ij}

with :math:`\Sigma = A A^T` of rank r and U uniform on the sphere: only the direction is drawn, the
length is integrated. A single pair has M = 1 and r = 1, so that its p-value stays as it is.

p-values enter by the normal quantile that belongs to them, so that every test keeps its own
distribution (t with few degrees of freedom, an exact one), and only their dependence is that of the
normal distribution. With one and the same denominator in all pairs, as in a multivariate t
distribution, equal models on few units would be found to differ far too often: each pair has its
own estimate of the variance.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat import special_functions as special
from thetahat.distributions import bound_p_value
from thetahat.values.types import FloatArray, IntArray

N_DRAWS: Final = 10_000
"""Directions that are drawn. The standard error of a p-value of 0.05 is 0.002 at most."""
N_QUANTILES: Final = 250
"""Quantiles that stand for the drawn maxima of one step."""
MAX_STEPS: Final = 200
"""Steps; of more pairs several are tested at a step, against the largest of all that are left."""
_NO_SPREAD: Final = 1e-12
"""Variance of a difference, relative to those of its two models, that counts as none."""
_LARGEST_Z: Final = 40.0
"""Beyond it the tail of the normal distribution is 0 in floating point."""


@dataclass(frozen=True, slots=True, eq=False)
class UnitMoments:
    """Second moments of the contributions of independent units to the means of all models."""

    n: int
    """Number of units."""
    products: FloatArray
    """(k, k) sums of products of the contributions, which have mean 0 over the units."""
    squares: FloatArray
    """(k, k) sums of products of their squares, after the mean over the models was subtracted in
    each unit."""

    @classmethod
    def accumulate(cls, chunks: Iterable[FloatArray]) -> UnitMoments:
        """Return the moments of (n, k) contributions that come in chunks of rows."""
        n, products, squares = 0, np.zeros((1, 1)), np.zeros((1, 1))
        for chunk in chunks:
            centred = (chunk - chunk.mean(axis=1, keepdims=True)) ** 2
            n += len(chunk)
            products = products + chunk.T @ chunk
            squares = squares + centred.T @ centred
        return cls(n, products, squares)

    def compute_difference_variances(self, places: IntArray) -> FloatArray:
        """Return the (p,) sums of squared differences of the models of each pair."""
        i, j = places.T
        own = np.diag(self.products)
        return np.asarray(np.maximum(own[i] + own[j] - 2 * self.products[i, j], 0.0))

    def estimate_covariance(self) -> FloatArray:
        r"""Return the (k, k) covariance of the models, shrunk towards that of independent ones.

        .. math:: \hat\lambda = \sum_{i \ne j} \widehat{\mathrm{Var}}(r_{ij}) / \sum_{i \ne j}
            r_{ij}^2

        with r the correlations after the mean over the models was subtracted in each unit, which
        no difference depends on. From few units, correlations of many models are mostly chance,
        and the unshrunk ones make the largest difference seem smaller than it is.

        Source: schafer2005 (target D).
        """
        k = len(self.products)
        centring = np.eye(k) - 1 / k
        products = centring @ self.products @ centring
        scale = np.sqrt(np.maximum(np.diag(products), 0.0))
        inverse = np.divide(1.0, scale, out=np.zeros(k), where=scale > 0)
        r = products * np.outer(inverse, inverse)
        if k > 2 and self.n > 1:
            apart = ~np.eye(k, dtype=np.bool_)
            # Var(r_ij) = n / (n - 1) (sum over units of (x_i x_j)^2 - r_ij^2 / n), x of length 1
            fourth = self.squares * np.outer(inverse, inverse) ** 2
            noise = self.n / (self.n - 1) * float((fourth - r**2 / self.n)[apart].sum())
            signal = float((r[apart] ** 2).sum())
            share = 1.0 if signal == 0 else min(1.0, max(0.0, noise / signal))
            r = (1 - share) * r + share * np.diag(np.diag(r))
        covariance = r * np.outer(scale, scale)
        return np.asarray(centring @ covariance @ centring)


class JointDistribution:
    """The distribution of the largest standardised difference of a family of pairs.

    Parameters
    ----------
    covariance : ndarray of float
        (k, k) covariance of the models, up to a factor.
    places : ndarray of int
        (p, 2) positions of the models of each pair of the family.
    rng : Generator
        Draws the directions.
    n_draws : int
        Number of directions, a multiple of ``N_QUANTILES``.
    """

    def __init__(
        self,
        covariance: FloatArray,
        places: IntArray,
        rng: np.random.Generator,
        n_draws: int = N_DRAWS,
    ) -> None:
        i, j = places.T
        own = np.diag(covariance)
        variances = own[i] + own[j] - 2 * covariance[i, j]
        self.varies: np.ndarray = variances > _NO_SPREAD * (own[i] + own[j])
        values, vectors = np.linalg.eigh(covariance)
        kept = values > _NO_SPREAD * max(float(values[-1]), 0.0)
        kept &= values > 0
        self.rank = int(kept.sum())
        directions = rng.standard_normal((self.rank, n_draws))
        directions /= np.sqrt((directions**2).sum(axis=0)) if self.rank else 1.0
        self._drawn: FloatArray = (vectors[:, kept] * np.sqrt(values[kept])) @ directions
        self._places = places
        self._inverse = np.divide(
            1.0, np.sqrt(np.abs(variances)), out=np.zeros(len(i)), where=self.varies
        )
        self._all = self._summarise(self._find_largest(np.arange(len(places)), np.zeros(n_draws)))

    @property
    def n_pairs(self) -> int:
        """Number of pairs of the family."""
        return len(self._places)

    def _find_largest(self, pairs: IntArray, largest: FloatArray) -> FloatArray:
        for pair in pairs[self.varies[pairs]]:
            i, j = self._places[pair]
            apart = self._drawn[i] - self._drawn[j]
            np.abs(apart, out=apart)
            apart *= self._inverse[pair]
            largest = np.maximum(largest, apart)
        return largest

    @staticmethod
    def _summarise(largest: FloatArray) -> FloatArray:
        """Return (N_QUANTILES,) averages of neighbouring ordered maxima."""
        return np.asarray(np.sort(largest).reshape(N_QUANTILES, -1).mean(axis=1))

    def _compute_tail(self, z: float, maxima: FloatArray) -> float:
        if z <= 0 or self.rank == 0:
            return 1.0
        shown = maxima[maxima > 0]
        tails = special.chdtrc(self.rank, (z / shown) ** 2)
        return bound_p_value(float(tails.sum() / len(maxima)))

    def find_pair_alpha(self, alpha: float) -> float:
        """Return the alpha at which the intervals of all pairs hold together at 1 - alpha."""
        if self.rank == 0:
            return alpha / self.n_pairs
        low, high = 0.0, _LARGEST_Z
        while high - low > 1e-10 * high:
            middle = (low + high) / 2
            if self._compute_tail(middle, self._all) > alpha:
                low = middle
            else:
                high = middle
        return float(2 * special.ndtr(-high))

    def adjust_at_once(self, p_value: float) -> float:
        """Return the two-sided p-value of a pair against the largest of all pairs.

        It is below alpha where the p-value is below ``find_pair_alpha(alpha)``.
        """
        if self.rank == 0:
            return min(1.0, p_value * self.n_pairs)
        return self._compute_tail(_compute_z(p_value), self._all)

    def step_down(self, p_values: Sequence[float | None]) -> StepDown:
        """Return the steps of the two-sided p-values of all pairs; None is never rejected."""
        z = np.array([-1.0 if p is None else _compute_z(p) for p in p_values])
        order = np.argsort(-z, kind="stable")
        steps = np.array_split(order, min(MAX_STEPS, len(order)))
        step_of_pair = np.empty(len(order), dtype=np.intp)
        maxima = np.empty((len(steps), N_QUANTILES))
        largest = np.zeros(self._drawn.shape[1])
        for step in range(len(steps) - 1, -1, -1):
            largest = self._find_largest(steps[step], largest)
            maxima[step] = self._summarise(largest)
            step_of_pair[steps[step]] = step
        return StepDown(self, order, step_of_pair, maxima)

    def adjust_at_step(self, pair: int, p_value: float, maxima: FloatArray) -> float:
        """Return the p-value of one pair against the largest of the pairs that are left."""
        if not self.varies[pair]:  # no draw tells its models apart
            return min(1.0, p_value * self.n_pairs)
        return max(p_value, self._compute_tail(_compute_z(p_value), maxima))


@dataclass(frozen=True, slots=True, eq=False)
class StepDown:
    """The order in which the pairs of a family are tested, and the reference of each step."""

    family: JointDistribution
    """The family."""
    order: IntArray
    """(p,) pairs, that with the smallest p-value first."""
    step_of_pair: IntArray
    """(p,) step at which a pair is tested."""
    maxima: FloatArray
    """(steps, N_QUANTILES) largest drawn differences of the pairs that are left."""

    def adjust(self, p_values: Sequence[float | None]) -> list[float | None]:
        """Return the corrected p-values of all pairs, or of another test of the same pairs.

        A pair is rejected only if all that were tested before it are.
        """
        adjusted: list[float | None] = [None] * len(p_values)
        running = 0.0
        for pair in self.order.tolist():
            p_value = p_values[pair]
            if p_value is None:
                continue
            maxima = self.maxima[self.step_of_pair[pair]]
            running = max(running, self.family.adjust_at_step(pair, p_value, maxima))
            adjusted[pair] = running
        return adjusted


def _compute_z(p_value: float) -> float:
    return min(_LARGEST_Z, -float(special.ndtri(p_value / 2))) if p_value > 0 else _LARGEST_Z
