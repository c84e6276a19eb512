"""Differences of two risks over the same instances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.values.types import FloatArray, IntArray
from thetahat.weighted_risks._weighted_losses import mean_and_variance
from thetahat.weighted_risks.base import RiskEstimate


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskDifference:
    """The first risk less the second.

    Parameters
    ----------
    difference : float
        Units of the loss.
    variance : float
        Variance of the difference, with models and weights given.
    """

    difference: float
    variance: float


def paired_difference(a: RiskEstimate, b: RiskEstimate) -> RiskDifference:
    """Compare two learners under one risk, or two risks of one learner, over the same instances.

    The variance is the sample variance (ddof 1) of the differences of the terms over n: what both
    have in common, such as a large weight, falls out.
    """
    first, second = _terms(a), _terms(b)
    if first.shape != second.shape:
        raise InvalidParameter(
            f"the risks are of {len(first)} and {len(second)} instances; a paired difference needs "
            "the same ones",
            loc=("losses",),
            value=len(second),
        )
    difference, variance = mean_and_variance(first - second)
    return RiskDifference(difference=difference, variance=variance)


def by_source(estimate: RiskEstimate, source: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return each source's own mean of the terms and the variance of that mean.

    Parameters
    ----------
    source : ndarray of int
        (n,) codes 0 to K - 1, each used.

    Returns
    -------
    means : ndarray of float
        (K,) averaged with the sources' sizes they are the estimate.
    variances : ndarray of float
        (K,) with ddof 1; NaN for a source of one instance.
    """
    terms = _terms(estimate)
    counts = np.bincount(source)
    means = np.bincount(source, terms) / counts
    squares = np.bincount(source, (terms - means[source]) ** 2)
    known = counts > 1
    variances = np.full(len(counts), np.nan)
    variances[known] = squares[known] / (counts[known] - 1) / counts[known]
    return means, variances


def _terms(estimate: RiskEstimate) -> FloatArray:
    assert estimate.terms is not None  # noqa: S101 - every estimator of the family gives them
    return estimate.terms
