"""Whether all groups have the same mean: Welch's F, and Wald's chi-squared."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from thetahat import special_functions as special
from thetahat.analyses.groups.moments import GroupMoments
from thetahat.distributions import compute_chi_squared_tail, compute_f_upper_tail

TestName = Literal["welch", "wald", "wald_f"]


@dataclass(frozen=True, slots=True)
class EqualityTest:
    """A test that groups have the same mean."""

    name: TestName
    """``welch``, ``wald`` (chi-squared) or ``wald_f``."""
    statistic: float
    """The test statistic."""
    degrees_of_freedom: float | tuple[float, float]
    """Of chi-squared; of F of numerator and denominator."""
    p_value: float
    """p-value of equal means."""


def compute_welch(moments: GroupMoments) -> EqualityTest | None:
    """Return Welch's F of equal means, of the groups that have a variance.

    Groups of one row do not take part. None where fewer than two groups have two rows, or one of
    them has no spread.

    Source: welch1951.
    """
    kept = moments.n > 1
    k = int(kept.sum())
    if k < 2 or not moments.usable[kept].all():
        return None
    weights, means = 1 / moments.variances[kept], moments.means[kept]
    total = float(weights.sum())
    centred = means - float(weights @ means) / total
    noise = _compute_noise(moments)
    between = float(weights @ centred**2) / (k - 1)
    statistic = between / (1 + 2 * (k - 2) / (k * k - 1) * noise)
    denominator = (k * k - 1) / (3 * noise)
    p_value = compute_f_upper_tail(statistic, k - 1, denominator)
    return EqualityTest("welch", statistic, (float(k - 1), denominator), p_value)


def compute_wald(moments: GroupMoments) -> EqualityTest | None:
    """Return Wald's chi-squared of equal means with each group's own variance.

    It is for independent groups of many rows, and None as of ``compute_welch``.
    """
    kept = moments.n > 1
    k = int(kept.sum())
    if k < 2 or not moments.usable[kept].all():
        return None
    weights, means = 1 / moments.variances[kept], moments.means[kept]
    centred = means - float(weights @ means) / float(weights.sum())
    statistic = float(weights @ centred**2)
    p_value = compute_chi_squared_tail(statistic, k - 1)
    return EqualityTest("wald", statistic, float(k - 1), p_value)


def compute_size_of_wald(moments: GroupMoments) -> float:
    """Return how often Wald's chi-squared rejects at level .05, by the reference of Welch's F."""
    kept = moments.n > 1
    k = int(kept.sum())
    noise = _compute_noise(moments)
    critical = float(special.chdtri(k - 1, 0.05)) / (k - 1)
    statistic = critical / (1 + 2 * (k - 2) / (k * k - 1) * noise)
    return compute_f_upper_tail(statistic, k - 1, (k * k - 1) / (3 * noise))


def _compute_noise(moments: GroupMoments) -> float:
    """Return the sum over groups of the squared share of the others' weights over n - 1."""
    kept = moments.n > 1
    weights = 1 / moments.variances[kept]
    shares = weights / weights.sum()
    return float(((1 - shares) ** 2 / (moments.n[kept] - 1)).sum())


def compute_wald_of_clusters(moments: GroupMoments) -> EqualityTest | None:
    r"""Return Wald's test of equal means with the covariance over clusters, referred to F.

    With :math:`W = (C m)^T (C \Sigma C^T)^{-1} C m` of k - 1 contrasts C, the statistic
    :math:`W (\nu - k + 2) / (\nu (k - 1))` is compared with F of k - 1 and :math:`\nu - k + 2`
    degrees of freedom, as Hotelling's. :math:`\nu` is the smallest one of the gaps of groups from
    the mean of all rows.

    None where a group has a single cluster or no spread, or clusters are too few.
    """
    k = moments.n_groups
    if k < 2 or not moments.usable.all():
        return None
    contrasts = np.eye(k)[1:] - np.eye(k)[:1]
    gaps = contrasts @ moments.means
    covariance = contrasts @ moments.covariance @ contrasts.T
    against_whole = np.eye(k) - moments.n / moments.n.sum()
    nu = min(moments.compute_degrees(contrast) for contrast in against_whole)
    denominator = nu - k + 2
    if denominator < 1 or np.linalg.matrix_rank(covariance) < k - 1:
        return None
    wald = float(gaps @ np.linalg.solve(covariance, gaps))
    statistic = wald * denominator / (nu * (k - 1))
    if not math.isfinite(statistic) or statistic < 0:
        return None
    p_value = compute_f_upper_tail(statistic, k - 1, denominator)
    return EqualityTest("wald_f", statistic, (float(k - 1), denominator), p_value)
