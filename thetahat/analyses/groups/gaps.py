r"""Gaps between groups, and of each group from the whole, with intervals that hold all at once.

A gap is a contrast :math:`c^T m` of the means of groups, or of their values of a metric, with the
variance :math:`c^T \Sigma c`. All contrasts together are nearly jointly normal, and the critical
value z is the quantile of the largest standardised one. With few rows each gap of means has the t
quantile of the same probability as z, with its own Welch-Satterthwaite degrees of freedom. Gaps of
rates and of metrics are made of the limits of both groups at this probability.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Final, Literal, Protocol

import numpy as np

from thetahat.analyses.groups.intervals import Ends, RateEstimate
from thetahat.analyses.groups.moments import GroupMoments
from thetahat.distributions import compute_upper_quantile
from thetahat.numerics.joint_distribution import JointDistribution
from thetahat.values.types import FloatArray, IntArray

MOST_COMPARED: Final = 20
"""Groups of which all pairs are compared: 190. Of more, each is compared with the whole alone."""

N_DRAWS: Final = 20_000
"""Directions drawn for a critical value. Over 20 seeds its standard deviation is .002 with four
groups and .003 with twenty, .004 for their gaps from the whole."""


GapMethod = Literal["joint_t", "hybrid_score", "square_and_add"]
"""Names of the intervals of gaps."""


@dataclass(frozen=True, slots=True)
class Gap:
    """The difference of the values of two groups, or of one and the whole."""

    group: int
    """The first group."""
    against: int | None
    """The group whose value is subtracted; None for the whole."""
    estimate: float
    standard_error: float
    """The gap and its standard error."""
    degrees: float
    """Degrees of freedom."""
    ends: Ends
    """Ends of the interval."""
    method: GapMethod
    """``hybrid_score`` of two rates, ``square_and_add`` of a metric, else ``joint_t``."""


@dataclass(frozen=True, slots=True)
class GapFamily:
    """Gaps whose intervals hold all at once."""

    gaps: tuple[Gap, ...]
    """The gaps that have an interval, or the largest of them alone."""
    critical_value: float
    """Quantile of the largest standardised gap, if the variances were known."""
    groups: IntArray
    """(k,) groups that are compared; the others have no variance, or no limits."""

    def find_largest(self) -> Gap:
        """Return the gap between the groups with the largest and the smallest value."""
        return max(self.gaps, key=lambda gap: abs(gap.estimate))


class GapLimits(Protocol):
    """The limits of groups, where gaps have intervals that are made of them."""

    @property
    def method(self) -> GapMethod:
        """Name of the interval."""

    @property
    def groups(self) -> IntArray:
        """(k,) groups that have limits."""

    @property
    def covariance(self) -> FloatArray:
        """(m, m) covariance of all values by which the critical value is found, above 0."""

    def compute_ends(self, groups: tuple[int, int | None], tail: float) -> Ends | None:
        """Return the ends of a gap with ``tail`` beyond each limit; None without limits."""


@dataclass(frozen=True)
class RateLimits:
    """The limits of rates of independent rows, Wilson's or exact ones.

    Source: fagerland2015 (the hybrid score interval).
    """

    moments: GroupMoments
    exact: bool
    """Whether they are exact ones."""

    @property
    def method(self) -> GapMethod:
        """Name of Newcombe's interval."""
        return "hybrid_score"

    @property
    def groups(self) -> IntArray:
        """(k,) groups with two rows or more, also those without spread."""
        return np.flatnonzero(self.moments.n > 1)

    @cached_property
    def covariance(self) -> FloatArray:
        """(G, G) covariance of the rates, which one row less or more keeps above 0."""
        n = self.moments.n
        rates = (self.moments.means * n + 0.5) / (n + 1)
        return np.diag(rates * (1 - rates) / n)

    def compute_ends(self, groups: tuple[int, int | None], tail: float) -> Ends:
        """Return the ends of the difference of two independent rates, from the ends of both.

        The gap of a group from the whole is that from the rest, times the share of the rest.
        """
        g, h = groups
        moments = self.moments
        n_g, p_g = float(moments.n[g]), float(moments.means[g])
        if h is None:
            total = float(moments.n.sum())
            n_h, scale = total - n_g, 1 - n_g / total
            p_h = float(moments.n @ moments.means - n_g * p_g) / n_h
            p_h = min(1.0, max(0.0, p_h))
        else:
            n_h, p_h, scale = float(moments.n[h]), float(moments.means[h]), 1.0
        low_g, high_g = RateEstimate(p_g, n_g, exact=self.exact).compute_ends(tail)
        low_h, high_h = RateEstimate(p_h, n_h, exact=self.exact).compute_ends(tail)
        gap = p_g - p_h
        lower = gap - math.hypot(p_g - low_g, high_h - p_h)
        upper = gap + math.hypot(high_g - p_g, p_h - low_h)
        return scale * lower, scale * upper


def find_pair_gaps(
    moments: GroupMoments,
    alpha: float,
    rng: np.random.Generator,
    limits: GapLimits | None = None,
    *,
    largest_alone: bool = False,
) -> GapFamily | None:
    """Return the gaps of all pairs of groups that have a variance; None of fewer than two.

    The second group is subtracted from the later one, so that a gap is that of g minus h with h
    before g.

    Source: dunnett1980, hothorn2008.

    Parameters
    ----------
    limits : GapLimits or None
        The limits that intervals are made of; None for t. Groups that have limits take part, also
        those without spread.
    largest_alone : bool
        Whether only the largest gap is returned; its interval is that of all gaps at once.
    """
    kept = _list_groups(moments, limits)
    if not 1 < len(kept) <= MOST_COMPARED:
        return None
    places = np.array(list(combinations(range(len(kept)), 2)), dtype=np.intp)
    covariance = _get_covariance(moments, limits)[np.ix_(kept, kept)]
    alpha_of_each = _find_alpha(covariance, places, alpha, rng)
    means = moments.means[kept]
    if largest_alone:
        size = np.abs(means[places[:, 1]] - means[places[:, 0]])
        places = places[np.argsort(-size, kind="stable")]
    gaps = []
    for h, g in places.tolist():
        contrast = np.zeros(moments.n_groups)
        contrast[kept[g]], contrast[kept[h]] = 1, -1
        pair = (int(kept[g]), int(kept[h]))
        gaps.append(_build(moments, pair, contrast, alpha_of_each, limits))
        if largest_alone and gaps[-1] is not None:
            break
    return _collect(gaps, alpha_of_each, kept)


def find_gaps_to_whole(
    moments: GroupMoments,
    alpha: float,
    rng: np.random.Generator,
    limits: GapLimits | None = None,
    *,
    whole_is_last: bool = False,
) -> GapFamily | None:
    """Return the gap of each group from the whole; None if a group has no variance.

    The whole contains the group, which the contrast allows for; it is not the group against the
    rest.

    Parameters
    ----------
    limits : GapLimits or None
        As of ``find_pair_gaps``.
    whole_is_last : bool
        Whether the last of the values is that of the whole, as of a metric, which is no mean of
        those of groups. Otherwise the whole is the mean of all rows.
    """
    n_groups = moments.n_groups - whole_is_last
    kept = _list_groups(moments, limits)
    if len(kept) < n_groups or n_groups < 2:
        return None
    weights = moments.n / moments.n.sum()
    if whole_is_last:
        weights = np.eye(moments.n_groups)[-1]
    augmented = np.vstack([np.eye(n_groups, moments.n_groups), weights])
    covariance = augmented @ _get_covariance(moments, limits) @ augmented.T
    places = np.array([(g, n_groups) for g in range(n_groups)], dtype=np.intp)
    alpha_of_each = _find_alpha(covariance, places, alpha, rng)
    gaps = []
    for g in range(n_groups):
        contrast = -weights
        contrast[g] += 1
        gaps.append(_build(moments, (g, None), contrast, alpha_of_each, limits))
    return _collect(gaps, alpha_of_each, kept)


def _list_groups(moments: GroupMoments, limits: GapLimits | None) -> IntArray:
    return np.flatnonzero(moments.usable) if limits is None else limits.groups


def _get_covariance(moments: GroupMoments, limits: GapLimits | None) -> FloatArray:
    return moments.covariance if limits is None else limits.covariance


def _find_alpha(
    covariance: FloatArray, places: IntArray, alpha: float, rng: np.random.Generator
) -> float:
    scale = float(np.diag(covariance).max())
    if len(places) == 1 or scale == 0:
        return alpha
    return JointDistribution(covariance / scale, places, rng, N_DRAWS).find_pair_alpha(alpha)


def _build(
    moments: GroupMoments,
    groups: tuple[int, int | None],
    contrast: FloatArray,
    alpha: float,
    limits: GapLimits | None,
) -> Gap | None:
    involved = contrast != 0
    part = moments.covariance[np.ix_(involved, involved)]
    variance = float(contrast[involved] @ part @ contrast[involved])
    estimate = float(contrast @ moments.means)
    error = math.sqrt(max(variance, 0.0))
    if limits is not None:
        ends = limits.compute_ends(groups, alpha / 2)
        return (
            None if ends is None else Gap(*groups, estimate, error, math.inf, ends, limits.method)
        )
    if error == 0:
        return None
    degrees = moments.compute_degrees(contrast)
    reach = compute_upper_quantile(alpha / 2, degrees) * error
    return Gap(*groups, estimate, error, degrees, (estimate - reach, estimate + reach), "joint_t")


def _collect(gaps: Sequence[Gap | None], alpha: float, groups: IntArray) -> GapFamily | None:
    present = tuple(gap for gap in gaps if gap is not None)
    if not present:
        return None
    return GapFamily(present, compute_upper_quantile(alpha / 2, None), groups)
