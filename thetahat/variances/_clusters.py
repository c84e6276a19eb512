"""Cluster-robust variances of the means of blocks, and whether splits cut clusters."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from thetahat.cautions import FEW_CLUSTERS, Caution
from thetahat.errors import InsufficientData
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import FloatArray, IntArray
from thetahat.variances._applicability import (
    explain_missing_blocks,
    explain_missing_rows,
    explain_wrong_block_kind,
)


class ClustersInSplits(NamedTuple):
    """The clusters of each split; a cluster that several splits test counts in each of them."""

    group: IntArray
    """(n,) group of each row, in input order; a group is a cluster within a split."""
    group_split: IntArray
    """(G,) split of each group, ascending."""
    split: IntArray
    """(n,) split of each row, in input order."""
    n_clusters: IntArray
    """(J,) number of clusters of each split."""


class ClusterWeights(NamedTuple):
    """What CR2 takes from the sizes of the clusters of one or several blocks."""

    relative: FloatArray
    """(G,) weight of each cluster's squared sum, relative to C / (C - 1) of C equal clusters."""
    degrees: FloatArray
    """(J,) degrees of freedom of the variance of each block's mean."""


def weigh_clusters(sizes: FloatArray, block: IntArray) -> ClusterWeights:
    r"""Return the CR2 weights of clusters and the Bell-McCaffrey degrees of freedom.

    With :math:`h_c = n_c / n` the share of cluster c in its block, the matrix
    :math:`A_c = (I - H_{cc})^{-1/2}` of a mean multiplies the sum of the cluster's residuals by
    :math:`(1 - h_c)^{-1/2}`, because all elements of :math:`H_{cc}` are 1 / n. Its squared sum
    thus has the weight :math:`1 / (1 - h_c)`. If losses are independent with one variance,
    the degrees of freedom :math:`(\operatorname{tr} G)^2 / \operatorname{tr} G^2`, with G the
    covariances of the terms of the variance, are

    .. math:: \nu = \Bigl[\sum_c h_c^2 + \Bigl(\sum_c q_c\Bigr)^2 - \sum_c q_c^2\Bigr]^{-1},
        \quad q_c = \frac{h_c^2}{1 - h_c}.

    Source: bell2002, pustejovsky2018.

    Degenerate cases: clusters of one size have relative weights of exactly 1 and C - 1 degrees.
    ``sizes`` are the (G,) numbers of losses of the clusters, and ``block`` the (G,) block of each,
    from 0; each block has two clusters or more.
    """
    n_clusters = np.bincount(block)
    equal_share = 1 / n_clusters[block]
    share = sizes / np.bincount(block, weights=sizes)[block]
    q = share**2 / (1 - share)
    q_sum = np.bincount(block, weights=q)
    off_diagonal = q_sum**2 - np.bincount(block, weights=q**2)
    degrees = 1 / (np.bincount(block, weights=share**2) + off_diagonal)
    is_equal = np.bincount(block, weights=np.abs(share - equal_share)) == 0
    return ClusterWeights(
        relative=np.asarray((1 - equal_share) / (1 - share)),
        degrees=np.where(is_equal, n_clusters - 1.0, degrees),
    )


@lru_cache(maxsize=2)
def find_clusters_in_splits(layout: Layout) -> ClustersInSplits:
    """Return the clusters of each split; all models and pairs of an evaluation share them."""
    if layout.cluster is None:
        raise InsufficientData("The cluster of every instance is not known.", loc=("cluster",))
    split = layout.get_split_of_row()
    n_labels = len(layout.cluster_labels)
    groups, group = np.unique(split * n_labels + layout.cluster, return_inverse=True)
    group_split = groups // n_labels
    n_clusters = np.bincount(group_split, minlength=layout.n_splits)
    return ClustersInSplits(group, group_split, split, n_clusters)


@lru_cache(maxsize=2)
def weigh_clusters_in_splits(layout: Layout) -> ClusterWeights:
    """Return the weights of the groups of ``find_clusters_in_splits``."""
    clusters = find_clusters_in_splits(layout)
    if clusters.n_clusters.min() < 2:
        raise InsufficientData(
            f"The variance {_describe_single_cluster(layout)}.", loc=("cluster",)
        )
    sizes = np.bincount(clusters.group).astype(np.float64)
    return weigh_clusters(sizes, clusters.group_split)


@lru_cache(maxsize=2)
def weigh_all_clusters(layout: Layout) -> ClusterWeights:
    """Return the weights of the clusters of the pooled mean, as of a single block."""
    if layout.cluster is None or len(layout.cluster_labels) < 2:
        raise InsufficientData("The variance needs two clusters or more.", loc=("cluster",))
    sizes = np.bincount(layout.cluster).astype(np.float64)
    return weigh_clusters(sizes, np.zeros(len(sizes), dtype=np.intp))


def estimate_within_blocks(losses: BlockLosses) -> FloatArray:
    """Return (J,) cluster-robust variances (CR2) of the mean of each split."""
    layout = losses.layout
    clusters, weights = find_clusters_in_splits(layout), weigh_clusters_in_splits(layout)
    shifted = losses.rows - losses.rows[0]  # a large mean loss then costs no digits
    means = np.bincount(clusters.split, weights=shifted) / layout.n_test
    sums = np.bincount(clusters.group, weights=shifted - means[clusters.split])
    squares = np.bincount(clusters.group_split, weights=weights.relative * sums**2)
    c = clusters.n_clusters
    return np.asarray(c / (c - 1) * squares / layout.n_test**2)


def estimate_pooled(losses: BlockLosses) -> float:
    """Return the CR2 variance of the pooled mean; a cluster is one over all blocks and repeats."""
    layout = losses.layout
    weights = weigh_all_clusters(layout)
    assert layout.cluster is not None  # noqa: S101 - they have weights
    sums = _sum_deviations(losses.rows, layout.cluster) / len(losses.rows)
    return add_squares_of_clusters(sums, weights)


def add_squares_of_clusters(sums: FloatArray, weights: ClusterWeights) -> float:
    """Return the CR2 variance from the (C,) sums of the parts of an estimate over clusters."""
    c = len(sums)
    return c / (c - 1) * float(np.sum(weights.relative * sums**2))


def count_pooled_degrees(layout: Layout) -> float:
    """Return the Bell-McCaffrey degrees of freedom of ``estimate_pooled``."""
    return float(weigh_all_clusters(layout).degrees[0])


def refuse_without_clusters_in_blocks(info: MethodInfo, layout: Layout) -> str | None:
    """Return why a method that needs two clusters in every block does not fit, or None."""
    if (
        reason := explain_wrong_block_kind(info, layout)
        or explain_missing_rows(info, layout)
        or explain_missing_blocks(info, layout)
        or refuse_without_clusters(info, layout)
    ):
        return reason
    if find_clusters_in_splits(layout).n_clusters.min() >= 2:
        return None
    return f"{info.name} {_describe_single_cluster(layout)}"


def refuse_without_clusters(info: MethodInfo, layout: Layout) -> str | None:
    """Return why a method that needs two clusters or more does not fit the layout, or None."""
    if layout.cluster is None:
        return f"{info.name} needs the cluster of every instance in the field cluster"
    if len(layout.cluster_labels) < 2:
        return f"{info.name} needs at least two clusters, and there is one"
    return None


def check_few_clusters(layout: Layout, degrees: float, n_blocks: int = 1) -> tuple[Caution, ...]:
    """Return the caution for variances that rest on few clusters, or mostly on a few of them.

    C equal clusters in K blocks have C - K degrees of freedom.
    """
    n_clusters, n_equal = len(layout.cluster_labels), round(degrees + n_blocks, 1)
    if n_equal >= FEW_CLUSTERS.threshold:
        return ()
    as_equal = f", which count like {n_equal} equal ones" if n_equal < n_clusters else ""
    return (FEW_CLUSTERS(layout.words, n=n_clusters, as_equal=as_equal),)


@lru_cache(maxsize=2)
def cuts_clusters(layout: Layout) -> bool:
    """Return whether some split tests a part of a cluster and leaves out the rest of it."""
    if layout.cluster is None or not layout.has_rows:
        return False
    clusters = find_clusters_in_splits(layout)
    if layout.instance is None:
        cluster_sizes = np.bincount(layout.cluster) / layout.n_repeats
    else:
        pairs = np.unique(layout.instance * len(layout.cluster_labels) + layout.cluster)
        cluster_sizes = np.bincount(pairs % len(layout.cluster_labels)).astype(np.float64)
    tested = np.bincount(clusters.group)
    cluster_of_group = np.empty(len(tested), dtype=np.intp)
    cluster_of_group[clusters.group] = layout.cluster
    return bool((tested < cluster_sizes[cluster_of_group]).any())


def _sum_deviations(rows: FloatArray, cluster: IntArray) -> FloatArray:
    """Return (C,) sums over each cluster of the (n,) losses minus the mean of all losses.

    The first loss is subtracted before, so that a large mean loss costs no digits.
    """
    shifted = rows - rows[0]
    shifted -= shifted.mean()
    return np.asarray(np.bincount(cluster, weights=shifted))


def _describe_single_cluster(layout: Layout) -> str:
    split = int(np.argmin(find_clusters_in_splits(layout).n_clusters))
    label = layout.block_labels[int(layout.split_block[split])]
    block = layout.words.block
    return f"needs at least two clusters in every {block}, and {block} {label!r} has one"
