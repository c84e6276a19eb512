r"""The means of groups, their covariance and its degrees of freedom.

For independent rows the variance of the mean of group g is the sample variance over :math:`n_g`.
Where rows come in clusters, it is CR2: with :math:`h_{cg}` the share of cluster c in group g, each
cluster contributes

.. math:: u_{cg} = \frac{1}{n_g \sqrt{1 - h_{cg}}} \sum_{i \in c, g} (e_i - m_g),

to the mean of group g, and :math:`\Sigma = U^T U` is the covariance of all means. A cluster with
rows in several groups makes them dependent.

Source: bell2002, pustejovsky2018 (the design matrix has one column for each group).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.analyses.thresholds import SKEWED
from thetahat.values.types import BoolArray, FloatArray, IntArray
from thetahat.variances._clusters import weigh_clusters

NO_SPREAD: Final = 1e-13
"""Largest deviation from a group's mean, relative to its values, that counts as rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupClusters:
    """The parts of clusters in groups, which all models share."""

    cell: IntArray
    """(n,) part that each row belongs to: a cluster within a group."""
    cell_group: IntArray
    cell_cluster: IntArray
    """(m,) group and cluster of each part."""
    sizes: FloatArray
    """(m,) rows of each part."""
    n_clusters: IntArray
    """(G,) clusters of each group."""
    n_all: int
    """Number of clusters."""

    @property
    def are_shared(self) -> bool:
        """Whether a cluster has rows in several groups."""
        return len(self.cell_group) > self.n_all


def find_group_clusters(codes: IntArray, cluster: IntArray, n_groups: int) -> GroupClusters:
    """Return the parts of clusters in groups, from (n,) codes of both."""
    n_all = int(cluster.max()) + 1
    cells, cell = np.unique(codes * n_all + cluster, return_inverse=True)
    cell_group, cell_cluster = np.divmod(cells, n_all)
    sizes = np.bincount(cell).astype(np.float64)
    n_clusters = np.bincount(cell_group, minlength=n_groups)
    n_present = len(np.unique(cluster))
    return GroupClusters(cell, cell_group, cell_cluster, sizes, n_clusters, n_present)


@dataclass(frozen=True, slots=True, eq=False)
class GroupMoments:
    """The means of groups with their covariance."""

    n: FloatArray
    """(G,) rows (units) of each group."""
    means: FloatArray
    """(G,) mean of each group."""
    covariance: FloatArray
    """(G, G) covariance of the means; diagonal unless clusters are shared. NaN in rows and columns
    of groups without a variance."""
    degrees: FloatArray
    """(G,) degrees of freedom of the variances; NaN where there is none."""
    has_spread: BoolArray
    """(G,) whether the values of a group vary."""
    skewness: FloatArray
    """(G,) skewness of the independent units' parts of each mean, their third central moment over
    the 3/2 power of the second; 0 without a variance."""
    unit_skewness: FloatArray
    """(G,) the same of rows; of clusters after each sum was divided by the root of its rows, so
    that the skewness of unequal clusters is not that of their sizes."""
    n_clusters: IntArray | None = None
    """(G,) clusters of each group; None for independent rows."""
    are_shared: bool = False
    """Whether a cluster has rows in several groups."""
    overlap: FloatArray | None = None
    """(G, G) sums over clusters of the products of their shares in groups, if clusters are
    shared."""

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.n)

    @property
    def n_units(self) -> IntArray:
        """(G,) independent units of each group: clusters, or rows."""
        return self.n.astype(np.intp) if self.n_clusters is None else self.n_clusters

    @property
    def variances(self) -> FloatArray:
        """(G,) variances of the means; NaN where there is none."""
        return np.asarray(np.diag(self.covariance))

    @property
    def usable(self) -> BoolArray:
        """(G,) whether an interval may be built on the variance of a group."""
        return self.has_spread & (np.nan_to_num(self.variances) > 0)

    @property
    def are_skewed(self) -> bool:
        """Whether the groups together show that their values are skewed.

        Their pooled skewness is then more than ``SKEWED`` of its standard errors under normal
        values. One group of few rows shows nothing: its skewness is mostly chance.
        """
        pooled, n = self._pool_skewness()
        return bool(abs(pooled) * np.sqrt(n.sum() / 6) > SKEWED)

    @property
    def typical_skewness_of_mean(self) -> float:
        """The pooled skewness as that of the mean of a group of average size; 0 where unknown."""
        pooled, n = self._pool_skewness()
        return pooled / math.sqrt(n.mean()) if len(n) else 0.0

    def _pool_skewness(self) -> tuple[float, FloatArray]:
        """Return the pooled skewness of the values, and the units of each group that has one."""
        kept = self.usable & (self.n_units > 2)
        n = self.n_units[kept].astype(np.float64)
        return float(n @ self.unit_skewness[kept]) / max(float(n.sum()), 1.0), n

    @property
    def skewness_of_means(self) -> FloatArray:
        """(G,) skewness of the means."""
        return np.asarray(self.skewness / np.sqrt(self.n_units))

    def pool(self) -> tuple[float, float, float]:
        """Return the variance of a value, its degrees of freedom and skewness, of all groups.

        They are those within groups of independent rows, and leave out groups without spread.
        """
        degrees = self.degrees[self.usable]
        variances = self.variances[self.usable] * self.n[self.usable]
        total = float(degrees.sum())
        return float(degrees @ variances) / total, total, self._pool_skewness()[0]

    def compute_degrees(self, contrast: FloatArray) -> float:
        """Return the degrees of freedom of a weighted sum of means, by Welch and Satterthwaite.

        Where clusters are shared, they are those of a working model of independent rows with one
        variance in each group: the squared sum of the clusters' parts of the variance over the sum
        of their squares, minus 1.
        """
        weights = contrast**2
        if self.overlap is not None:
            parts = weights * np.where(weights > 0, self.variances * self.n, 0.0)
            total = float((parts / self.n).sum())
            return max(1.0, total**2 / float(parts @ self.overlap @ parts) - 1)
        kept = weights > 0
        parts = weights[kept] * self.variances[kept]
        return float(parts.sum() ** 2 / (parts**2 / self.degrees[kept]).sum())


def compute_group_moments(
    values: FloatArray, codes: IntArray, n_groups: int, clusters: GroupClusters | None = None
) -> GroupMoments:
    """Return the moments of (n,) values by group; every group has a row."""
    shift = float(values[0])
    shifted = values - shift
    n = np.bincount(codes, minlength=n_groups).astype(np.float64)
    centres = np.bincount(codes, weights=shifted, minlength=n_groups) / n
    deviations = shifted - centres[codes]
    spread = np.zeros(n_groups)
    np.maximum.at(spread, codes, np.abs(deviations))
    largest = max(float(np.abs(values).max()), 1e-140)
    has_spread = spread > NO_SPREAD * largest
    means = shift + centres
    if clusters is None:
        squares = np.bincount(codes, weights=deviations**2, minlength=n_groups)
        with np.errstate(divide="ignore", invalid="ignore"):
            variances = np.where(n > 1, squares / (n - 1) / n, np.nan)
        skewness = _compute_skewness(deviations, codes, n_groups, has_spread)
        degrees = np.where(n > 1, n - 1, np.nan)
        covariance = np.diag(variances)
        return GroupMoments(n, means, covariance, degrees, has_spread, skewness, skewness)
    sums = np.bincount(clusters.cell, weights=deviations) / n[clusters.cell_group]
    share = clusters.sizes / n[clusters.cell_group]
    enough = clusters.n_clusters > 1
    kept = enough[clusters.cell_group]
    contributions = sums[kept] / np.sqrt(1 - share[kept])
    degrees = np.full(n_groups, np.nan)
    if kept.any():
        degrees[enough] = weigh_clusters(
            clusters.sizes[kept], np.unique(clusters.cell_group[kept], return_inverse=True)[1]
        ).degrees
    if clusters.are_shared:
        from scipy import sparse  # noqa: PLC0415 - clusters are seldom shared

        shape = (int(clusters.cell_cluster.max()) + 1, n_groups)
        places = (clusters.cell_cluster[kept], clusters.cell_group[kept])
        parts = sparse.csr_matrix((contributions, places), shape=shape)
        covariance = (parts.T @ parts).toarray()
        weights = sparse.csr_matrix(
            (
                clusters.sizes / n[clusters.cell_group] ** 2,
                (clusters.cell_cluster, clusters.cell_group),
            ),
            shape=shape,
        )
        overlap = (weights.T @ weights).toarray()
    else:
        of_group = np.bincount(
            clusters.cell_group[kept], weights=contributions**2, minlength=n_groups
        )
        covariance, overlap = np.diag(of_group), None
    covariance[~enough, :] = np.nan
    covariance[:, ~enough] = np.nan
    return GroupMoments(
        n,
        means,
        covariance,
        degrees,
        has_spread,
        _compute_skewness(sums, clusters.cell_group, n_groups, has_spread),
        _compute_skewness(
            sums / np.sqrt(clusters.sizes), clusters.cell_group, n_groups, has_spread
        ),
        clusters.n_clusters,
        clusters.are_shared,
        overlap,
    )


def _compute_skewness(
    parts: FloatArray, codes: IntArray, n_groups: int, has_spread: BoolArray
) -> FloatArray:
    """Return the (G,) skewness of centred parts by group; 0 where they do not vary."""
    largest = np.zeros(n_groups)
    np.maximum.at(largest, codes, np.abs(parts))
    scale = np.where(has_spread & (largest > 0), largest, 1.0)
    scaled = parts / scale[codes]
    counts = np.maximum(np.bincount(codes, minlength=n_groups), 1)
    second = np.bincount(codes, weights=scaled**2, minlength=n_groups) / counts
    third = np.bincount(codes, weights=scaled**3, minlength=n_groups) / counts
    varies = has_spread & (second > 0)
    return np.asarray(np.divide(third, second**1.5, out=np.zeros(n_groups), where=varies))
