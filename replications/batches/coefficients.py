r"""Risks as weighted sums of the losses.

Given weights and folds, each risk is linear in the losses,

.. math:: \hat R = \sum_i a_i \ell_i,

also with a coefficient beta estimated from the same losses: beta is linear in them, too. So a
risk needs the losses' moments with the weights a, and never the losses.
"""

from __future__ import annotations

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


def coefficients(risk: RiskEstimator, weights: FloatArray, members: FloatArray) -> FloatArray:
    """(R, n) coefficients of the losses, for (R, n) weights and (1 or R, K, n) members of folds.

    They are those of the risk's own ``estimate``; its degenerate cases are the same. Weights that
    are all zero have risk 0.
    """
    n = weights.shape[-1]
    if isinstance(risk, Weighted):
        return np.asarray(weights / n)
    if isinstance(risk, Truncated):
        return np.asarray(np.minimum(weights, risk.cut) / n)
    if isinstance(risk, SelfNormalised):
        total = weights.sum(axis=-1, keepdims=True)
        return _over(weights, total, np.asarray(total > 0))
    if isinstance(risk, Controlled):
        parts = members if risk.beta_from == "fold" else np.ones((1, 1, n))
        return _controlled(weights, parts, about_one=risk.about_one)
    if isinstance(risk, Doubly):
        return _doubly(weights, risk.second_moment)
    raise UnsupportedCombination(
        f"the risk {risk.info.name} is not known to be a weighted sum of losses",
        loc=("risks",),
        value=risk.info.name,
    )


def _controlled(weights: FloatArray, parts: FloatArray, *, about_one: bool) -> FloatArray:
    """Of each part's beta, the covariance with the weights over their spread."""
    n = weights.shape[-1]
    sizes = np.maximum(parts.sum(axis=-1), 1)  # (1 or R, P)
    means = (parts @ weights[..., None])[..., 0] / sizes  # (R, P)
    apart = parts * (weights[:, None] - means[..., None])  # (R, P, n)
    spread = (apart**2).sum(axis=-1)
    varies = spread > _EPS * sizes * means**2
    divisor = spread + sizes * (means - 1) ** 2 if about_one else spread
    excess = sizes * (means - 1)  # of the part's weights over their mean of one
    factor = np.divide(excess, divisor, out=np.zeros_like(excess), where=varies)
    return np.asarray(weights * (1 - (factor[:, None] @ apart)[:, 0]) / n)


def _doubly(weights: FloatArray, second_moment: float | None) -> FloatArray:
    """Of the weights' slope, and of that of their squares without what the weights explain."""
    n = weights.shape[-1]
    mean = weights.mean(axis=-1, keepdims=True)
    first, excess = weights - mean, mean - 1
    spread = _square(first)
    varies = spread > _EPS * n * weights.max(axis=-1, keepdims=True) ** 2
    share = _over(excess, spread, varies) * first
    if second_moment is not None:
        squares = weights**2
        mean = squares.mean(axis=-1, keepdims=True)
        second = squares - mean
        slope = _over((first * second).sum(axis=-1, keepdims=True), spread, varies)
        rest = second - slope * first
        says_more = varies & (_square(rest) > 1e-14 * _square(second))
        share += _over(mean - second_moment - slope * excess, _square(rest), says_more) * rest
    return np.asarray(weights * (1 / n - share))


def _square(rows: FloatArray) -> FloatArray:
    return np.asarray((rows**2).sum(axis=-1, keepdims=True))


def _over(top: FloatArray, bottom: FloatArray, where: np.ndarray) -> FloatArray:
    return np.divide(top, bottom, out=np.zeros_like(top), where=where)
