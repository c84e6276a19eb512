"""Cluster-robust variances of the means of blocks, and whether splits cut clusters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

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


@dataclass(frozen=True, slots=True, eq=False)
class ClustersInSplits:
    """The clusters of each split; a cluster that several splits test counts in each of them."""

    group: IntArray
    """(n,) group of each row, in input order; a group is a cluster within a split."""
    group_split: IntArray
    """(G,) split of each group, ascending."""
    split: IntArray
    """(n,) split of each row, in input order."""
    n_clusters: IntArray
    """(J,) number of clusters of each split."""


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


def estimate_within_blocks(losses: BlockLosses) -> float:
    """Return the cluster-robust variance of the mean over blocks, averaged over repeats.

    It is (1/K^2) times the sum over blocks of the CR1 variance of the block's mean, for (n,)
    losses in K blocks per repeat.
    """
    layout = losses.layout
    clusters = find_clusters_in_splits(layout)
    if clusters.n_clusters.min() < 2:
        raise InsufficientData(
            f"The variance {_describe_single_cluster(layout)}.", loc=("cluster",)
        )
    shifted = losses.rows - losses.rows[0]  # a large mean loss then costs no digits
    means = np.bincount(clusters.split, weights=shifted) / layout.n_test
    sums = np.bincount(clusters.group, weights=shifted - means[clusters.split])
    squares = np.bincount(clusters.group_split, weights=sums**2, minlength=layout.n_splits)
    c = clusters.n_clusters
    split_variances = c / (c - 1) * squares / layout.n_test**2
    return _average_over_repeats(split_variances, layout)


def estimate_pooled(losses: BlockLosses) -> float:
    """Return the CR1 variance of the pooled mean; a cluster is one over all blocks and repeats."""
    layout = losses.layout
    if layout.cluster is None or len(layout.cluster_labels) < 2:
        raise InsufficientData("The variance needs two clusters or more.", loc=("cluster",))
    c = len(layout.cluster_labels)
    sums = _sum_deviations(losses.rows, layout.cluster)
    return c / (c - 1) * float(np.sum((sums / len(losses.rows)) ** 2))


def count_degrees(layout: Layout) -> float:
    """Return the number of clusters less the number of blocks, in the smallest repeat."""
    spare = find_clusters_in_splits(layout).n_clusters - 1
    return float(np.bincount(layout.split_repeat, weights=spare).min())


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


def check_few_clusters(n_clusters: int) -> tuple[Caution, ...]:
    """Return the caution for variances that rest on few clusters."""
    if n_clusters >= FEW_CLUSTERS.threshold:
        return ()
    return (FEW_CLUSTERS(n=n_clusters),)


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


def _average_over_repeats(split_variances: FloatArray, layout: Layout) -> float:
    sums = np.bincount(layout.split_repeat, weights=split_variances)
    n_blocks = np.bincount(layout.split_repeat)
    return float((sums / n_blocks**2).mean())
