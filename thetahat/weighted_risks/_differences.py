"""Differences of two risks over the same instances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.values.types import FloatArray, IntArray
from thetahat.weighted_risks._weighted_losses import compute_mean_and_variance
from thetahat.weighted_risks.base import RiskEstimate


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskDifference:
    """The first risk minus the second."""

    difference: float
    """Units of the loss."""
    variance: float
    """Variance of the difference, conditional on models and weights."""


def estimate_paired_difference(a: RiskEstimate, b: RiskEstimate) -> RiskDifference:
    """Return the difference of two learners under one risk, or of two risks of one learner.

    Both are computed from the same instances. The variance is the sample variance (ddof 1) of the
    differences of the terms over n: common parts of both, such as a large weight, cancel.
    """
    first, second = _get_terms(a), _get_terms(b)
    if first.shape != second.shape:
        raise InvalidParameter(
            f"The risks have {len(first)} and {len(second)} instances. A paired difference needs "
            "the same instances.",
            loc=("losses",),
            value=len(second),
        )
    difference, variance = compute_mean_and_variance(first - second)
    return RiskDifference(difference=difference, variance=variance)


def average_by_source(estimate: RiskEstimate, source: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean of the terms in each source, and the variance of that mean.

    Parameters
    ----------
    source : ndarray of int
        (n,) codes 0 to K - 1, each used.

    Returns
    -------
    means : ndarray of float
        (K,); their average, weighted by the sources' sizes, is the estimate.
    variances : ndarray of float
        (K,) with ddof 1; NaN for a source of one instance.
    """
    terms = _get_terms(estimate)
    counts = np.bincount(source)
    means = np.bincount(source, terms) / counts
    squares = np.bincount(source, (terms - means[source]) ** 2)
    has_variance = counts > 1
    variances = np.full(len(counts), np.nan)
    variances[has_variance] = (
        squares[has_variance] / (counts[has_variance] - 1) / counts[has_variance]
    )
    return means, variances


def _get_terms(estimate: RiskEstimate) -> FloatArray:
    assert estimate.terms is not None  # noqa: S101 - every estimator of the family sets them
    return estimate.terms
