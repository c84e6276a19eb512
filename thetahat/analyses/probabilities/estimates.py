"""Means, rates and coefficients as estimates with intervals."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from thetahat.analyses.groups.intervals import MeanEstimate, RateEstimate, estimate_rate
from thetahat.analyses.groups.moments import compute_group_moments, find_group_clusters
from thetahat.analyses.probabilities.result import ProbabilityEstimate
from thetahat.distributions import compute_upper_quantile
from thetahat.intervals.student_t import StudentT
from thetahat.values.types import BoolArray, FloatArray, IntArray

ONE_CLUSTER: Final = "All of its rows are in one cluster."


def build_missing(level: float, reason: str, estimate: float | None = None) -> ProbabilityEstimate:
    """Return an estimate without an interval, or no estimate."""
    return ProbabilityEstimate(
        estimate=estimate,
        standard_error=None,
        level=level,
        lower=None,
        upper=None,
        method=None,
        reason=reason,
    )


def build_normal(
    estimate: float, error: float, level: float, method: str, degrees: float | None = None
) -> ProbabilityEstimate:
    """Return an estimate plus and minus the quantile times its standard error."""
    reach = compute_upper_quantile((1 - level) / 2, degrees) * error
    return ProbabilityEstimate(
        estimate=estimate,
        standard_error=error,
        level=level,
        lower=estimate - reach,
        upper=estimate + reach,
        method=method,
        degrees_of_freedom=degrees,
    )


def estimate_mean(
    values: FloatArray, cluster: IntArray | None, level: float, *, of_losses: bool = False
) -> ProbabilityEstimate:
    """Return the mean of (n,) values: t, or Hall's form of skewed ones, with CR2 of clusters.

    Differences of the losses of two models keep t, as where the same two are compared by loss.
    """
    if len(values) == 1:
        return build_missing(level, "There is a single row.", float(values[0]))
    if cluster is not None and cluster.min() == cluster.max():
        return build_missing(level, ONE_CLUSTER, float(values.mean()))
    codes = np.zeros(len(values), dtype=np.intp)
    clusters = None if cluster is None else find_group_clusters(codes, cluster, 1)
    moments = compute_group_moments(values, codes, 1, clusters)
    mean = float(moments.means[0])
    if not moments.usable[0]:
        return build_missing(level, "All rows have the same value, which says nothing.", mean)
    skewness = float(moments.skewness_of_means[0]) if moments.are_skewed and not of_losses else 0.0
    built = MeanEstimate(
        mean,
        math.sqrt(float(moments.variances[0])),
        float(moments.degrees[0]),
        skewness,
        clustered=cluster is not None,
    )
    lower, upper = built.compute_ends((1 - level) / 2)
    return ProbabilityEstimate(
        estimate=mean,
        standard_error=built.error,
        level=level,
        lower=lower,
        upper=upper,
        method=built.method,
        degrees_of_freedom=built.degrees,
    )


def estimate_share(
    hits: FloatArray, among: BoolArray, cluster: IntArray | None, level: float, what: str
) -> ProbabilityEstimate:
    """Return the share of ones among the marked rows: Wilson's, or that by the design effect.

    The standard error of clusters is CR1 over the clusters with a marked row. ``what`` names the
    marked rows, for the reason where there are none.
    """
    n = int(among.sum())
    if n == 0:
        return build_missing(level, f"There are no {what}.")
    values = hits[among]
    share = float(values.mean())
    codes = None if cluster is None else np.unique(cluster[among], return_inverse=True)[1]
    n_clusters = None if codes is None else int(codes.max()) + 1
    degrees = None if n_clusters is None else float(n_clusters - 1)
    built = estimate_rate(values, codes, degrees)
    if built is None:
        return build_missing(level, ONE_CLUSTER, share)
    lower, upper = built.compute_ends((1 - level) / 2)
    error = _compute_error(values, codes, built)
    return ProbabilityEstimate(
        estimate=share,
        standard_error=error,
        level=level,
        lower=lower,
        upper=upper,
        method=built.method,
        degrees_of_freedom=degrees,
        n=n,
        clusters=n_clusters,
    )


def _compute_error(values: FloatArray, codes: IntArray | None, built: RateEstimate) -> float | None:
    if codes is None:
        return built.standard_error
    sums = np.bincount(codes, weights=values - values.mean())
    n_clusters = len(sums)
    variance = n_clusters / (n_clusters - 1) * float(sums @ sums) / len(values) ** 2
    return math.sqrt(variance) or None


def estimate_influence(
    estimate: float, influence: FloatArray, cluster: IntArray | None, level: float
) -> ProbabilityEstimate:
    """Return an estimate with the variance of (n,) influences of mean 0, CR1 over clusters.

    The interval is one of t with one degree of freedom fewer than there are rows, or clusters, that
    have any influence.
    """
    units = influence
    if cluster is not None:
        units = np.asarray(np.bincount(cluster, weights=influence), dtype=np.float64)
    n = len(units)
    with_any = int(np.count_nonzero(units))
    if with_any < 2:
        return build_missing(level, "The two models differ in too few rows to say.", estimate)
    error = math.sqrt(n / (n - 1) * float(units @ units))
    return build_normal(estimate, error, level, StudentT.info.name, float(with_any - 1))
