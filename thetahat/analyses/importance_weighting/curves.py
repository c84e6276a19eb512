"""The risk of a learner along its grid, and the value of the least."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thetahat.analyses.importance_weighting.choosing import least
from thetahat.values.types import FloatArray, IntArray
from thetahat.weighted_risks.base import RiskEstimate, RiskEstimator
from thetahat.weighted_risks.doubly import Doubly


@dataclass(frozen=True, slots=True, eq=False)
class RiskCurve:
    """One risk at every value of a grid.

    Parameters
    ----------
    estimates : tuple of RiskEstimate
        (L,) with ``terms`` at the selected value alone.
    selected : int
        The place of the least.
    """

    estimates: tuple[RiskEstimate, ...]
    selected: int

    @property
    def values(self) -> FloatArray:
        """(L,) risks."""
        return np.array([one.estimate for one in self.estimates])

    @property
    def variances(self) -> FloatArray:
        """(L,) variance of each."""
        return np.array([one.variance for one in self.estimates])

    @property
    def chosen(self) -> RiskEstimate:
        """The estimate at the selected value."""
        return self.estimates[self.selected]


def risk_curve(
    method: RiskEstimator, losses: FloatArray, weights: FloatArray, fold: IntArray, rank: FloatArray
) -> RiskCurve:
    """Estimate the risk for each column of (n, L) losses; ``rank`` as ``least`` takes it."""
    estimates = [
        replace(method.estimate(column, weights, fold), terms=None)
        for column in np.ascontiguousarray(losses.T)
    ]
    at = least(np.array([one.estimate for one in estimates]), rank)
    estimates[at] = method.estimate(losses[:, at], weights, fold)
    return RiskCurve(tuple(estimates), at)


def with_second_moment(
    methods: Mapping[str, Any], known: tuple[float, float] | None
) -> dict[str, Any]:
    """Tell the doubly controlled risk the second moment that the target sample estimates."""
    if known is None:
        return dict(methods)
    moment, variance = known
    return {
        key: replace(method, second_moment=moment, second_moment_variance=variance)
        if isinstance(method, Doubly) and method.second_moment is None
        else method
        for key, method in methods.items()
    }
