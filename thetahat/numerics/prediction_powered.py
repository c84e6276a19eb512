r"""Prediction-powered means: labels of a few rows, and grades of a judge for all rows.

With the labels Y and grades f of n rows, grades u of N further rows and a weight w of the judge,

.. math::
    \hat\theta(w) = w \bar u + \overline{Y - w f}, \qquad
    V(w) = \frac{s^2(Y - w f)}{n} + w^2 \frac{s^2(u)}{N},

so that w = 0 is the mean of the labels. The tuned weight is

.. math::
    w^* = \frac{\operatorname{cov}(Y, f)}{(1 + n/N) \operatorname{var}(f, u)}

clipped to [0, 1], with the variance of both groups of grades together. Strata have a mean and a
weight each, which are added by their shares of all rows. If whole clusters were labelled, variances
and covariances are those of the sums over clusters (CR1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GradedSample:
    """Labels and grades of one model, or differences of those of two."""

    labels: FloatArray
    """(n,) labels."""
    grades: FloatArray
    """(n,) grades of the labelled rows."""
    unlabelled: FloatArray
    """(N,) grades of the other rows."""
    stratum: IntArray | None = None
    """(n,) codes of the strata of the labelled rows, from 0 without gaps."""
    stratum_unlabelled: IntArray | None = None
    """(N,) codes of the strata of the other rows, which are among those of labelled rows."""
    cluster: IntArray | None = None
    """(n,) codes of the clusters of the labelled rows."""
    cluster_unlabelled: IntArray | None = None
    """(N,) codes of the clusters of the other rows, which have no labelled row."""

    def yield_strata(self) -> list[GradedSample]:
        """Return the sample of each stratum; the sample itself if there are none."""
        if self.stratum is None or self.stratum_unlabelled is None:
            return [self]
        return [
            GradedSample(
                labels=self.labels[mine],
                grades=self.grades[mine],
                unlabelled=self.unlabelled[others],
                cluster=None if self.cluster is None else self.cluster[mine],
                cluster_unlabelled=None
                if self.cluster_unlabelled is None
                else self.cluster_unlabelled[others],
            )
            for mine, others in (
                (self.stratum == code, self.stratum_unlabelled == code)
                for code in range(int(self.stratum.max()) + 1)
            )
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionPoweredMean:
    """A mean from labels and grades, with its variance."""

    estimate: float
    """The mean."""
    variance: float
    """Its variance."""
    degrees_of_freedom: float
    """Labelled rows (or clusters) less one; of several strata those of Satterthwaite."""
    weights: tuple[float, ...]
    """The weight of the judge in each stratum."""


def estimate_mean(sample: GradedSample, weight: float | None = None) -> PredictionPoweredMean:
    """Return the prediction-powered mean.

    Source: angelopoulos2023, fisch2024.

    Degenerate cases: fewer than two rows (or clusters) without a label, or grades that are all
    equal, give the judge no weight unless ``weight`` sets it. A stratum needs two labelled rows (or
    clusters). ``sample`` has labels and grades. ``weight`` is the weight of the judge, 0 to 1; None
    tunes it in each stratum.
    """
    strata = sample.yield_strata()
    n_rows = len(sample.labels) + len(sample.unlabelled)
    estimate, variance, squares = 0.0, 0.0, 0.0
    weights = []
    for part in strata:
        share = (len(part.labels) + len(part.unlabelled)) / n_rows
        chosen = _choose_weight(part, weight)
        value = compute_variance(part, chosen) * share**2
        estimate += share * _compute_mean(part, chosen)
        variance += value
        squares += value**2 / _count_degrees(part)
        weights.append(chosen)
    is_combined = len(strata) > 1 and squares > 0
    return PredictionPoweredMean(
        estimate=estimate,
        variance=variance,
        degrees_of_freedom=variance**2 / squares
        if is_combined
        else sum(_count_degrees(part) for part in strata),
        weights=tuple(weights),
    )


def tune_weight(sample: GradedSample) -> float:
    """Return the weight of the judge with the smallest variance, before it is clipped.

    It is negative where grades and labels disagree, and NaN where it does not exist.
    """
    n, n_others = len(sample.labels), len(sample.unlabelled)
    if _count_units(sample.unlabelled, sample.cluster_unlabelled) < 2:
        return math.nan
    together = np.concatenate([sample.grades, sample.unlabelled])
    clusters = None
    if sample.cluster is not None and sample.cluster_unlabelled is not None:
        first = int(sample.cluster.max()) + 1
        clusters = np.concatenate([sample.cluster, sample.cluster_unlabelled + first])
    spread = _compute_covariance(together, together, clusters) * (n + n_others)
    if spread <= 0:
        return math.nan
    shared = _compute_covariance(sample.labels, sample.grades, sample.cluster) * n
    return shared / ((1 + n / n_others) * spread)


def compute_variance(sample: GradedSample, weight: float) -> float:
    """Return the variance of the mean of one stratum at a weight of the judge."""
    rest = sample.labels - weight * sample.grades
    variance = _compute_covariance(rest, rest, sample.cluster)
    if weight == 0:
        return variance
    others = sample.unlabelled
    return variance + weight**2 * _compute_covariance(others, others, sample.cluster_unlabelled)


def compute_labels_needed(
    half_width: float, quantile: float, variance: float, gain: float, n_rows: int
) -> float | None:
    r"""Return how many labels among a fixed number of rows give a half width; None if none do.

    With the variance :math:`\sigma^2` of a label and the share g of it that grades explain, n
    labels and T - n further rows have the half width h if
    :math:`n = z^2 \sigma^2 (1 - g (T - n) / T) / h^2`.

    Parameters
    ----------
    half_width, quantile : float
        h and z, both above 0.
    variance, gain : float
        Variance of one label, and g in [0, 1]: the squared correlation of labels and grades.
    n_rows : int
        T.
    """
    alone = quantile**2 * variance / half_width**2
    rest = 1 - alone * gain / n_rows
    needed = alone * (1 - gain) / rest if rest > 0 else math.inf
    return needed if needed <= n_rows else None


def _choose_weight(sample: GradedSample, weight: float | None) -> float:
    if _count_units(sample.unlabelled, sample.cluster_unlabelled) < 2:
        return 0.0
    if weight is not None:
        return weight
    tuned = tune_weight(sample)
    return 0.0 if math.isnan(tuned) else min(max(tuned, 0.0), 1.0)


def _compute_mean(sample: GradedSample, weight: float) -> float:
    labels = float(np.mean(sample.labels))
    if weight == 0:
        return labels
    return labels + weight * (float(np.mean(sample.unlabelled)) - float(np.mean(sample.grades)))


def _count_degrees(sample: GradedSample) -> float:
    return _count_units(sample.labels, sample.cluster) - 1.0


def _count_units(values: FloatArray, cluster: IntArray | None) -> int:
    return len(values) if cluster is None else len(np.unique(cluster))


def _compute_covariance(a: FloatArray, b: FloatArray, cluster: IntArray | None) -> float:
    """Return the covariance of two means: of rows, or CR1 of the sums over clusters."""
    n = len(a)
    a, b = a - a.mean(), b - b.mean()
    if cluster is None:
        return float(a @ b) / (n - 1) / n
    present, code = np.unique(cluster, return_inverse=True)
    sums = (np.bincount(code, weights=values) for values in (a, b))
    c = len(present)
    return c / (c - 1) * float(np.prod([*sums], axis=0).sum()) / n**2
