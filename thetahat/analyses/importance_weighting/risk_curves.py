"""Risks of a learner along its grid, and the value with the smallest risk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from thetahat.values.types import FloatArray, IntArray
from thetahat.weighted_risks.base import RiskEstimate, RiskEstimator
from thetahat.weighted_risks.doubly import Doubly

EQUAL: Final = 1e-12
"""Relative difference up to which two risks count as equal, because rounding can cause it."""


@dataclass(frozen=True, slots=True, eq=False)
class RiskCurve:
    """Estimates of one risk at every value of a grid."""

    estimates: tuple[RiskEstimate, ...]
    """(L,) estimates; only the one at the selected value has ``terms``."""
    selected: int
    """Index of the smallest risk."""

    @property
    def values(self) -> FloatArray:
        """(L,) estimated risks."""
        return np.array([estimate.estimate for estimate in self.estimates])

    @property
    def variances(self) -> FloatArray:
        """(L,) estimated variances of the risk estimates."""
        return np.array([estimate.variance for estimate in self.estimates])

    @property
    def chosen(self) -> RiskEstimate:
        """The estimate at the selected value."""
        return self.estimates[self.selected]


def find_smallest_risk(curve: FloatArray, rank: FloatArray | None = None) -> int:
    """Return the index of the smallest risk; among equal risks, of the one with the highest rank.

    Parameters
    ----------
    curve : ndarray of float
        (L,) finite risks.
    rank : ndarray of float or None
        (L,) numbers that decide between equal risks, such as penalties: the largest wins, and the
        first of equal ranks. None takes the last of the equal risks, as in an ascending grid.
    """
    lowest = float(curve.min())
    equal = np.flatnonzero(curve <= lowest + EQUAL * abs(lowest))
    if rank is None:
        return int(equal[-1])
    return int(equal[np.argmax(rank[equal])])


def estimate_risk_curve(
    method: RiskEstimator, losses: FloatArray, weights: FloatArray, fold: IntArray, rank: FloatArray
) -> RiskCurve:
    """Estimate the risk of each column of (n, L) losses; ``rank`` decides between equal risks."""
    estimates = [
        replace(method.estimate(column, weights, fold), terms=None)
        for column in np.ascontiguousarray(losses.T)
    ]
    selected = find_smallest_risk(np.array([estimate.estimate for estimate in estimates]), rank)
    estimates[selected] = method.estimate(losses[:, selected], weights, fold)
    return RiskCurve(tuple(estimates), selected)


def set_second_moment(
    methods: Mapping[str, Any], known: tuple[float, float] | None
) -> dict[str, Any]:
    """Return the risks, with the target's second moment set in the doubly controlled one."""
    if known is None:
        return dict(methods)
    moment, variance = known
    return {
        key: replace(method, second_moment=moment, second_moment_variance=variance)
        if isinstance(method, Doubly) and method.second_moment is None
        else method
        for key, method in methods.items()
    }
