"""Importance-weighted risk with the weights and their squares as control variates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.cautions import SECOND_MOMENT_TOO_UNCERTAIN, SECOND_MOMENT_UNKNOWN, Caution
from thetahat.parameter_checks import check_not_negative
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray, IntArray, MeanKind, Target
from thetahat.weighted_risks._weighted_losses import (
    check_effective_size,
    check_variance,
    compute_mean_and_variance,
    multiply_by_weights,
)
from thetahat.weighted_risks.base import RiskEstimate

_EPS = float(np.finfo(np.float64).eps)
_UNCERTAIN = SECOND_MOMENT_TOO_UNCERTAIN()


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubly:
    r"""Weighted risk with two control variates: the weights and their squares.

    Both coefficients come from the least squares regression of :math:`\ell w` on w and w^2. The
    second moment :math:`M = E_S[w^2] = E_T[w]` is the mean of the weight function over the target,
    so the target sample itself estimates it; ``second_moment_variance``, the variance of that
    estimate, adds :math:`\hat\beta_2^2` times itself to the variance. In the sample the variance is
    never larger than that of the controlled risk. Several control variates are in section 8.9 of
    owen2013.

    Deviations: the second control variate is not in kouw2019. If the uncertainty of an estimated
    second moment adds more variance than the squares remove, the squares are left out, and a
    caution says so: with heavy tails the second moment from the target is as good as unknown.

    Degenerate cases: without a second moment it is the controlled risk, with a caution; also if w
    and w^2 are linearly dependent (two distinct weights). If the weights do not vary it is the mean
    loss.

    Parameters
    ----------
    second_moment : float or None
        M; None if it is not known.
    second_moment_variance : float
        Variance of M if it is an estimate.
    """

    second_moment: float | None = None
    second_moment_variance: float = 0.0

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Doubly controlled importance-weighted risk",
        summary=(
            "The weighted risk with the weights and their squares as control variates. The mean "
            "of the squares is that of the weights over the target."
        ),
        formula=(
            r"\hat{R}_D = \frac{1}{n} \sum_i \ell_i w_i - \hat\beta_1 (w_i - 1)"
            r" - \hat\beta_2 (w_i^2 - M)"
        ),
        references=("owen2013", "kouw2019"),
        assumptions=(
            "The weights are the density ratio of target to source, with a finite fourth "
            "moment. Their second moment is known or estimated from the target. The instances "
            "are independent."
        ),
        errs=(
            "It has a bias of order 1/n from estimating two coefficients, larger than that of "
            "the controlled risk. A wrong second moment moves it by the second coefficient "
            "times the error. Its variance takes the coefficients as known and is too small if "
            "few rows carry the weight."
        ),
        targets=(Target.NEW_POPULATION,),
        mean=MeanKind.POOLED,
    )

    def __post_init__(self) -> None:
        check_not_negative("second_moment", self.second_moment)
        check_not_negative("second_moment_variance", self.second_moment_variance)

    def estimate(
        self, losses: FloatArray, weights: FloatArray, fold: IntArray | None = None
    ) -> RiskEstimate:
        """Estimate the risk from (n,) losses and (n,) weights; ``fold`` is not used."""
        del fold
        products = multiply_by_weights(losses, weights)
        variates, cautions = self._build_variates(weights)
        beta = _compute_coefficients(products, variates)
        terms = np.asarray(products - variates @ beta)
        estimate, variance = compute_mean_and_variance(terms)
        variance += float(beta[-1] ** 2) * self._compute_second_moment_variance(len(beta))
        if self._compute_second_moment_variance(len(beta)) > 0:
            first = _compute_coefficients(products, variates[:, :1])
            simpler_terms = np.asarray(products - variates[:, :1] @ first)
            simpler_estimate, simpler_variance = compute_mean_and_variance(simpler_terms)
            if simpler_variance < variance:
                beta, terms = np.array([first[0], 0.0]), simpler_terms
                estimate, variance, cautions = simpler_estimate, simpler_variance, (_UNCERTAIN,)
        return RiskEstimate(
            estimate=estimate,
            variance=variance,
            beta=tuple(float(b) for b in beta),
            cautions=(*check_variance(variance), *cautions, *check_effective_size(weights)),
            terms=terms,
        )

    def _compute_second_moment_variance(self, n_variates: int) -> float:
        return self.second_moment_variance if n_variates == 2 else 0.0

    def _build_variates(self, weights: FloatArray) -> tuple[FloatArray, tuple[Caution, ...]]:
        """Return (n, 1 or 2) control variates, each with expectation zero."""
        first = weights - 1
        if self.second_moment is None:
            caution = SECOND_MOMENT_UNKNOWN()
            return first[:, None], (caution,)
        return np.column_stack([first, weights**2 - self.second_moment]), ()


def _compute_coefficients(products: FloatArray, variates: FloatArray) -> FloatArray:
    """Return (v,) least squares slopes; 0 for a variate that depends linearly on the other."""
    beta = np.zeros(variates.shape[1])
    raw = variates + np.array([1.0, 0.0])[: len(beta)]  # the weights, whose rounding matters
    centred = variates - variates.mean(axis=0)
    y = products - products.mean()
    size = math.sqrt(_EPS * len(products)) * np.abs(raw).max(axis=0)
    if np.linalg.norm(centred[:, 0]) <= size[0]:
        return beta
    along = centred[:, 0] / np.linalg.norm(centred[:, 0])
    if len(beta) == 2:
        rest = centred[:, 1] - (along @ centred[:, 1]) * along
        if np.linalg.norm(rest) > 1e-7 * np.linalg.norm(centred[:, 1]):
            beta[1] = float(rest @ y / (rest @ rest))
    beta[0] = float(along @ (y - centred[:, 1:] @ beta[1:])) / float(np.linalg.norm(centred[:, 0]))
    return beta
