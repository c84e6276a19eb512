"""Importance-weighted selection of a ridge penalty in loops, the oracle of the faster ways."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from thetahat.analyses.importance_weighting.risk_curves import find_smallest_risk
from thetahat.values.types import FloatArray, IntArray
from thetahat.weighted_risks import DEFAULT_RISKS, WEIGHTED_RISKS
from thetahat.weighted_risks.base import RiskEstimate, RiskEstimator


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlainSelection:
    """What weighted cross-validation over a grid of penalties gives.

    Parameters
    ----------
    losses : ndarray of float
        (n, L) validation loss of each row under the fit without its fold, for each penalty.
    risks : mapping of str to tuple of RiskEstimate
        By risk, one for each penalty.
    selected : mapping of str to int
        By risk, the place of its penalty.
    """

    losses: FloatArray
    risks: Mapping[str, tuple[RiskEstimate, ...]]
    selected: Mapping[str, int]


def plain_selection(
    X: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    penalties: FloatArray,
    fold: IntArray,
    risks: Mapping[str, RiskEstimator] | None = None,
    *,
    intercept: bool = False,
    weighted_fit: bool = True,
) -> PlainSelection:
    r"""Select a penalty of the weighted ridge classifier by each risk.

    .. math::

        \theta_\lambda = (X_t^T W_t X_t + \lambda I)^{-1} X_t^T W_t y_t, \qquad
        \ell_i = (x_i^T \theta_\lambda - y_i)^2

    with t the rows outside of row i's fold.

    Parameters
    ----------
    X, y, weights : ndarray of float
        (n, p), (n,) signs -1 and 1, and (n,) weights as they are.
    penalties : ndarray of float
        (L,) above 0; of equal risks the larger penalty is selected.
    fold : ndarray of int
        (n,) codes 0 to K - 1, each used.
    risks : mapping of str to RiskEstimator or None
        By name; None means ``weighted`` and ``controlled``.
    intercept : bool
        Whether there is one; it is not penalised.
    weighted_fit : bool
        Whether fits are weighted as the losses are.

    Source: kouw2019, section 5.2.
    """
    w = weights if weighted_fit else np.ones(len(y))
    scores = plain_scores(X, y, w, penalties, fold, intercept=intercept)
    losses = (scores - y[:, None]) ** 2
    methods = risks or {name: WEIGHTED_RISKS[name]() for name in DEFAULT_RISKS}
    estimates = {
        name: tuple(method.estimate(losses[:, j], weights, fold) for j in range(len(penalties)))
        for name, method in methods.items()
    }
    selected = {
        name: find_smallest_risk(
            np.array([estimate.estimate for estimate in risks_of_values]), penalties
        )
        for name, risks_of_values in estimates.items()
    }
    return PlainSelection(losses=losses, risks=estimates, selected=selected)


def plain_scores(
    X: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    penalties: FloatArray,
    fold: IntArray,
    *,
    intercept: bool = False,
) -> FloatArray:
    """(n, L) decision value of each row by the fit without its fold, one solution at a time."""
    scores = np.empty((len(y), len(penalties)))
    columns = np.column_stack([X, np.ones(len(y))]) if intercept else X
    unpenalised = np.ones(columns.shape[1])
    unpenalised[X.shape[1] :] = 0
    for k in range(int(fold.max()) + 1):
        test = fold == k
        train = columns[~test] * weights[~test, None]
        products, moments = train.T @ columns[~test], train.T @ y[~test]
        for j, penalty in enumerate(penalties):
            theta = np.linalg.solve(products + penalty * np.diag(unpenalised), moments)
            scores[test, j] = columns[test] @ theta
    return scores
