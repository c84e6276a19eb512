"""Intervals and one-sided bounds of one group: of a rate, a mean, or a paired difference.

Each knows its ends for any probability beyond them, because the same group has an interval that
holds with those of all groups, and a bound that holds alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from thetahat.distributions import compute_upper_quantile
from thetahat.intervals.clopper_pearson import ClopperPearson
from thetahat.intervals.skewness_corrected import (
    LEAST_DEGREES,
    SkewnessCorrected,
    bound_skewness,
    invert_transformation,
)
from thetahat.intervals.student_t import StudentT
from thetahat.intervals.tango import Tango
from thetahat.intervals.tango_clusters import TangoClusters
from thetahat.intervals.wilson import Wilson, compute_smaller_rate
from thetahat.numerics.paired_rates import (
    count_clustered_pair,
    count_degrees_of_clusters,
    find_upper_end,
)
from thetahat.numerics.thresholds import FEW_DISCORDANT_CLUSTERS
from thetahat.special_functions import betaincinv
from thetahat.values.paired_counts import PairedCounts, count_pair
from thetahat.values.types import FloatArray, IntArray
from thetahat.variances.cluster_robust import ClusterRobust
from thetahat.variances.iid import Iid

Ends = tuple[float, float]
"""Lower and upper end."""


class GroupEstimate(Protocol):
    """An estimate of one group, with the ends of its intervals."""

    @property
    def estimate(self) -> float:
        """The mean or difference."""

    @property
    def method(self) -> str:
        """Name of the interval."""

    @property
    def variance(self) -> str | None:
        """Name of the variance that the interval rests on; None where there is none."""

    @property
    def standard_error(self) -> float | None:
        """Standard error of the estimate; None where the values have no spread."""

    @property
    def degrees_of_freedom(self) -> float | None:
        """Degrees of freedom; None means normal."""

    def compute_ends(self, tail: float) -> Ends:
        """Return both ends, with probability ``tail`` beyond each."""

    def compute_bounds(self, tail: float) -> Ends:
        """Return the ends of one-sided statements, with probability ``tail`` beyond each."""


@dataclass(frozen=True, slots=True)
class MeanEstimate:
    """A mean with its standard error, whose ends are t quantiles, or Hall's of a skewed group."""

    estimate: float
    error: float
    degrees: float
    """The mean, its standard error, and the degrees of freedom."""
    skewness: float = 0.0
    """Skewness of the mean; 0 leaves it out of account."""
    clustered: bool = False
    """Whether the standard error allows for clusters."""
    of_all: MeanEstimate | None = None
    """The same mean with the spread and the skewness of all groups together, for its bounds."""

    @property
    def method(self) -> str:
        """Name of the interval."""
        return SkewnessCorrected.info.name if self.is_skewed else StudentT.info.name

    @property
    def variance(self) -> str:
        """Name of the variance."""
        return ClusterRobust.info.name if self.clustered else Iid.info.name

    @property
    def is_skewed(self) -> bool:
        """Whether the ends allow for the skewness."""
        return self.skewness != 0 and self.degrees >= LEAST_DEGREES

    @property
    def standard_error(self) -> float:
        """Standard error of the mean."""
        return self.error

    @property
    def degrees_of_freedom(self) -> float:
        """Degrees of freedom of the standard error."""
        return self.degrees

    def compute_ends(self, tail: float) -> Ends:
        """Return the mean plus and minus the quantile times the standard error."""
        q = compute_upper_quantile(tail, self.degrees)
        if not self.is_skewed:
            return self.estimate - q * self.error, self.estimate + q * self.error
        g = bound_skewness(self.skewness, q)
        return (
            self.estimate - invert_transformation(q, g) * self.error,
            self.estimate - invert_transformation(-q, g) * self.error,
        )

    def compute_bounds(self, tail: float) -> Ends:
        """Return the same ends, on the side of the rare large values the farthest one.

        It is the farthest of this end, that of t, and that by the spread and skewness of all
        groups. Few rows seldom show how large rare differences are: a model that is worse by the
        margin through large differences of one row in five is found not worse in .22 of the samples
        of ten rows by the first of them, and in .02 by the farthest (edges/gates_by_group).
        """
        lower, upper = self.compute_ends(tail)
        if self.of_all is None:
            return lower, upper
        others = (replace(self, skewness=0.0).compute_ends(tail), self.of_all.compute_ends(tail))
        if self.of_all.skewness > 0:
            return lower, max(upper, *(each[1] for each in others))
        return min(lower, *(each[0] for each in others)), upper


@dataclass(frozen=True, slots=True)
class RateEstimate:
    """An error rate, whose interval is Wilson's and whose one-sided bounds are Clopper-Pearson's.

    Source: korn1998 (for clusters).
    """

    estimate: float
    """Share of the rows with a 1."""
    n: float
    """Rows."""
    design_effect: float = 1.0
    """What n is divided by, for rows in clusters: how much larger the variance is than that of
    independent rows."""
    degrees: float | None = None
    """Degrees of freedom of the design effect; None for independent rows."""
    exact: bool = False
    """Whether the interval is Clopper and Pearson's, too, as of many groups at once."""

    @property
    def variance(self) -> None:
        """There is none."""
        return None

    @property
    def method(self) -> str:
        """Name of the interval."""
        name = ClopperPearson.info.name if self.exact else Wilson.info.name
        return name if self.degrees is None else f"{name}_clusters"

    @property
    def standard_error(self) -> float | None:
        """Root of p (1 - p) over the rows that the clusters are worth; None without spread."""
        squared = self.estimate * (1 - self.estimate) * self.design_effect / self.n
        return math.sqrt(squared) or None

    @property
    def degrees_of_freedom(self) -> float | None:
        """Degrees of freedom of the design effect."""
        return self.degrees

    def compute_ends(self, tail: float) -> Ends:
        """Return the rates that a score test, or the exact one, would not reject."""
        if self.exact:
            return self.compute_bounds(tail)
        n, q = self.n / self.design_effect, compute_upper_quantile(tail, self.degrees)
        lower = compute_smaller_rate(self.estimate, n, q)
        return lower, 1 - compute_smaller_rate(1 - self.estimate, n, q)

    def compute_bounds(self, tail: float) -> Ends:
        """Return the rates that an exact binomial test would not reject.

        For clusters n is also divided by the squared ratio of the t and the normal quantile.
        """
        n = self.n / self.design_effect
        if self.degrees is not None:
            normal = compute_upper_quantile(tail, None)
            n *= (normal / compute_upper_quantile(tail, self.degrees)) ** 2
        x = self.estimate * n
        lower = 0.0 if x == 0 else float(betaincinv(x, n - x + 1, tail))
        return lower, 1.0 if x == n else 1 - float(betaincinv(n - x, x + 1, tail))


@dataclass(frozen=True, slots=True)
class PairedRateEstimate:
    """The difference of two error rates on the same rows, by Tango's score interval."""

    counts: PairedCounts

    @property
    def variance(self) -> None:
        """There is none."""
        return None

    @property
    def estimate(self) -> float:
        """Rate of a minus rate of b."""
        return self.counts.difference

    @property
    def method(self) -> str:
        """Name of the interval."""
        is_independent = self.counts.degrees_of_freedom is None
        return Tango.info.name if is_independent else TangoClusters.info.name

    @property
    def standard_error(self) -> float | None:
        """Standard error; None where no row differs."""
        return self.counts.standard_error or None

    @property
    def degrees_of_freedom(self) -> float | None:
        """Degrees of freedom of the design effect; None for independent rows."""
        return self.counts.degrees_of_freedom

    def compute_ends(self, tail: float) -> Ends:
        """Return the differences that the score and the binomial tests would not reject."""
        lower = -find_upper_end(self.counts.swap(), tail)
        return lower + 0.0, find_upper_end(self.counts, tail)  # -0.0 + 0.0 is 0.0

    def compute_bounds(self, tail: float) -> Ends:
        """Return the same ends."""
        return self.compute_ends(tail)


def estimate_rate(
    values: FloatArray, cluster: IntArray | None, degrees: float | None
) -> RateEstimate | None:
    r"""Return the rate of (n,) values of 0 and 1; None for the rows of a single cluster.

    The design effect is the CR2 variance over :math:`p (1 - p) / n`, at least 1. With fewer than
    ``FEW_DISCORDANT_CLUSTERS`` clusters that have the rarer value it is little known, and shrunk
    towards :math:`\sum_c m_c^2 / n`, that of clusters whose rows are all alike.
    """
    n, p = len(values), float(values.mean())
    if cluster is None:
        return RateEstimate(p, n)
    codes = np.unique(cluster, return_inverse=True)[1]
    sizes = np.bincount(codes).astype(np.float64)
    if len(sizes) < 2:
        return None
    largest = float((sizes**2).sum()) / n
    binomial = n * p * (1 - p)
    sums = np.bincount(codes, weights=values)
    if binomial == 0:
        return RateEstimate(p, n, largest, degrees)
    of_clusters = float(((sums - sizes * p) ** 2 / (1 - sizes / n)).sum())
    estimated = max(1.0, of_clusters / binomial)
    rarer = sums if p <= 0.5 else sizes - sums
    weight = min(1.0, int(np.count_nonzero(rarer)) / FEW_DISCORDANT_CLUSTERS)
    effect = weight * estimated + (1 - weight) * max(estimated, largest)
    return RateEstimate(p, n, effect, degrees)


def estimate_paired_rates(
    a: FloatArray, b: FloatArray, cluster: IntArray | None
) -> PairedRateEstimate | None:
    """Return the difference of two models' (n,) values of 0 and 1.

    None for the rows of a single cluster. Clusters without any discordant row count as one row
    each, and fewer where their sizes differ.
    """
    if cluster is None:
        return PairedRateEstimate(count_pair(a, b))
    codes = np.unique(cluster, return_inverse=True)[1]
    sizes = np.bincount(codes).astype(np.float64)
    if len(sizes) < 2:
        return None
    counts = count_clustered_pair(a, b, codes)
    if counts is None:
        effect = float((sizes**2).sum()) / len(a)
        counts = count_pair(a, b).divide(effect, count_degrees_of_clusters(sizes))
    return PairedRateEstimate(counts)


def compute_group_tail(level: float, n_groups: int, *, dependent: bool, one_sided: bool) -> float:
    """Return the probability beyond an end with which all groups hold together at the level.

    Each group holds at ``level`` to the power 1 / G (Sidak), or, where groups depend on each other,
    at 1 - (1 - level) / G (Bonferroni).

    Source: sidak1967.
    """
    of_each = (1 - level) / n_groups if dependent else -math.expm1(math.log(level) / n_groups)
    return of_each if one_sided else of_each / 2
