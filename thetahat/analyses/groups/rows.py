"""The instances of each group, and the clusters that they come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.analyses.groups.columns import Grouping, collect_units, group_units
from thetahat.analyses.groups.intervals import compute_group_tail
from thetahat.analyses.groups.moments import (
    GroupClusters,
    GroupMoments,
    compute_group_moments,
    find_group_clusters,
)
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import FloatArray, IntArray

FEW_UNITS: Final = 10
"""Instances, or clusters, below which a group is too small to say anything."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupRows:
    """The groups of instances, sorted once for all models."""

    grouping: Grouping
    """The groups, with a code for each instance."""
    cluster: IntArray | None
    """(n,) cluster of each instance."""
    clusters: GroupClusters | None
    """The parts of the clusters in groups."""
    order: IntArray
    """(n,) instances sorted by group."""
    starts: IntArray
    """(G + 1,) first sorted instance of each group."""
    averages: bool
    """Whether an instance has several rows, whose losses are averaged."""

    @classmethod
    def build(cls, grouping: Grouping, layout: Layout) -> GroupRows:
        """Return the groups of the instances of a layout, from the groups of its rows."""
        units = collect_units(layout)
        grouped = group_units(grouping, units)
        cluster = layout.cluster
        if cluster is not None and units is not None:
            of_unit = np.empty(len(grouped.codes), dtype=np.intp)
            of_unit[units] = cluster
            cluster = of_unit
        n_groups = grouped.n_groups
        clusters = None
        if cluster is not None:
            clusters = find_group_clusters(grouped.codes, cluster, n_groups)
        counts = np.bincount(grouped.codes, minlength=n_groups)
        return cls(
            grouped,
            cluster,
            clusters,
            np.argsort(grouped.codes, kind="stable"),
            np.concatenate([[0], np.cumsum(counts)]).astype(np.intp),
            units is not None,
        )

    @property
    def n(self) -> int:
        """Number of instances."""
        return len(self.order)

    @property
    def n_groups(self) -> int:
        """Number of groups with instances."""
        return self.grouping.n_groups

    @property
    def are_dependent(self) -> bool:
        """Whether a cluster has instances in several groups."""
        return self.clusters is not None and self.clusters.are_shared

    def get_level_of_each(self, level: float) -> float:
        """Return the level of each group with which all hold together at ``level``."""
        return 1 - compute_group_tail(
            level, self.n_groups, dependent=self.are_dependent, one_sided=True
        )

    def get_values(self, losses: BlockLosses) -> FloatArray:
        """Return the (n,) losses of the instances."""
        return losses.compute_instance_means() if self.averages else losses.rows

    def get_members(self, group: int) -> IntArray:
        """Return the instances of a group."""
        return self.order[self.starts[group] : self.starts[group + 1]]

    def count_clusters(self, group: int) -> int | None:
        """Return the number of clusters of a group; None without clusters."""
        return None if self.clusters is None else int(self.clusters.n_clusters[group])

    def compute_moments(self, values: FloatArray) -> GroupMoments:
        """Return the moments of (n,) values by group."""
        return compute_group_moments(values, self.grouping.codes, self.n_groups, self.clusters)
