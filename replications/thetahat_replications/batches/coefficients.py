r"""Risks as weighted sums of the losses.

Given weights and folds, each risk is linear in the losses,

.. math:: \hat R = \sum_i a_i \ell_i,

even if a coefficient beta is estimated from the same losses, because beta is linear in them. A risk
of squared losses therefore needs only the moments with the weights a.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from thetahat.errors import UnsupportedCombination
from thetahat.values.types import FloatArray
from thetahat.weighted_risks import RiskEstimator
from thetahat.weighted_risks.controlled import Controlled
from thetahat.weighted_risks.doubly import Doubly
from thetahat.weighted_risks.self_normalised import SelfNormalised
from thetahat.weighted_risks.truncated import Truncated
from thetahat.weighted_risks.weighted import Weighted

_EPS = float(np.finfo(np.float64).eps)


@runtime_checkable
class LinearRisk(Protocol):
    """A risk of a study that is a weighted sum of the losses."""

    def compute_loss_coefficients(self, weights: FloatArray, members: FloatArray) -> FloatArray:
        """Return (R, n) coefficients of the losses."""
        ...


def compute_coefficients(
    risk: RiskEstimator | LinearRisk, weights: FloatArray, members: FloatArray
) -> FloatArray:
    """Return (R, n) coefficients of the losses from (R, n) weights and (1 or R, K, n) memberships.

    They give the number of the risk's own ``estimate``, with the same degenerate cases. If all
    weights are zero, the risk is 0.
    """
    n = weights.shape[-1]
    if isinstance(risk, LinearRisk):
        return risk.compute_loss_coefficients(weights, members)
    if isinstance(risk, Weighted):
        return np.asarray(weights / n)
    if isinstance(risk, Truncated):
        return np.asarray(np.minimum(weights, risk.cut) / n)
    if isinstance(risk, SelfNormalised):
        total = weights.sum(axis=-1, keepdims=True)
        return _divide_where(weights, total, np.asarray(total > 0))
    if isinstance(risk, Controlled):
        parts = members if risk.beta_from == "fold" else np.ones((1, 1, n))
        return _compute_controlled(weights, parts, about_one=risk.about_one)
    if isinstance(risk, Doubly):
        return _compute_doubly(weights, risk.second_moment)
    raise UnsupportedCombination(
        f"The risk {risk.info.name!r} is not known to be a weighted sum of losses, so it cannot "
        "be computed for many data sets at once.",
        loc=("risks",),
        value=risk.info.name,
    )


def _compute_controlled(weights: FloatArray, parts: FloatArray, *, about_one: bool) -> FloatArray:
    """Return the coefficients of the controlled risk, with one beta for each part."""
    n = weights.shape[-1]
    sizes = np.maximum(parts.sum(axis=-1), 1)  # (1 or R, P)
    means = (parts @ weights[..., None])[..., 0] / sizes  # (R, P)
    deviations = parts * (weights[:, None] - means[..., None])  # (R, P, n)
    spread = (deviations**2).sum(axis=-1)
    varies = spread > _EPS * sizes * means**2
    divisor = spread + sizes * (means - 1) ** 2 if about_one else spread
    excess = sizes * (means - 1)  # the sum of the part's weights minus its expectation
    factor = np.divide(excess, divisor, out=np.zeros_like(excess), where=varies)
    return np.asarray(weights * (1 - (factor[:, None] @ deviations)[:, 0]) / n)


def _compute_doubly(weights: FloatArray, second_moment: float | None) -> FloatArray:
    """Return the coefficients of the doubly controlled risk.

    Its slopes are those of the weights, and of their squares after regression on the weights.
    """
    n = weights.shape[-1]
    mean = weights.mean(axis=-1, keepdims=True)
    first, excess = weights - mean, mean - 1
    spread = _sum_squares(first)
    varies = spread > _EPS * n * weights.max(axis=-1, keepdims=True) ** 2
    share = _divide_where(excess, spread, varies) * first
    if second_moment is not None:
        squares = weights**2
        mean = squares.mean(axis=-1, keepdims=True)
        second = squares - mean
        slope = _divide_where((first * second).sum(axis=-1, keepdims=True), spread, varies)
        rest = second - slope * first
        says_more = varies & (_sum_squares(rest) > 1e-14 * _sum_squares(second))
        share += (
            _divide_where(mean - second_moment - slope * excess, _sum_squares(rest), says_more)
            * rest
        )
    return np.asarray(weights * (1 / n - share))


def _sum_squares(rows: FloatArray) -> FloatArray:
    return np.asarray((rows**2).sum(axis=-1, keepdims=True))


def _divide_where(top: FloatArray, bottom: FloatArray, where: np.ndarray) -> FloatArray:
    return np.divide(top, bottom, out=np.zeros_like(top), where=where)
