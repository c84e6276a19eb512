r"""Risks as weighted sums of the losses.

Given weights and folds, each risk is linear in the losses,

.. math:: \hat R = \sum_i a_i \ell_i,

even if a coefficient beta is estimated from the same losses, because beta is linear in them. A risk
of squared losses therefore needs only the moments with the weights a.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np

from thetahat.values.types import FloatArray

LossCoefficients: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""Takes (R, n) weights and (R, K, n) memberships; returns (R, n) coefficients of the losses."""

_EPS: Final = float(np.finfo(np.float64).eps)


def weight_losses(weights: FloatArray, members: FloatArray) -> FloatArray:
    """Return the coefficients of the risk ``weighted``."""
    del members
    return np.asarray(weights / weights.shape[-1])


def control_over_all(weights: FloatArray, members: FloatArray) -> FloatArray:
    """Return the coefficients of the risk ``controlled`` with one beta, from all losses."""
    del members
    return control_by_fold(weights, np.ones((1, 1, weights.shape[-1])))


def control_by_fold(weights: FloatArray, members: FloatArray) -> FloatArray:
    """Return the coefficients of the risk ``controlled`` with a beta from each fold."""
    sizes = np.maximum(members.sum(axis=-1), 1)  # (1 or R, K)
    means = (members @ weights[..., None])[..., 0] / sizes  # (R, K)
    deviations = members * (weights[:, None] - means[..., None])  # (R, K, n)
    spread = (deviations**2).sum(axis=-1)
    varies = spread > _EPS * sizes * means**2
    excess = sizes * (means - 1)  # the sum of the fold's weights minus its expectation
    factor = np.divide(excess, spread, out=np.zeros_like(excess), where=varies)
    return np.asarray(weights * (1 - (factor[:, None] @ deviations)[:, 0]) / weights.shape[-1])
