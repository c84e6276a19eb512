"""Variances of the macro mean from the spread within blocks, with and without clusters."""

from __future__ import annotations

from typing import ClassVar

from thetahat.registry import MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.variances._building import (
    build_estimate,
    check_several_repeats,
    check_training_ignored,
    count_degrees_within_blocks,
)
from thetahat.variances._clusters import (
    check_few_clusters,
    count_degrees,
    estimate_within_blocks,
    refuse_without_clusters_in_blocks,
)
from thetahat.variances._quadratic_forms import average_over_repeats, compute_within_blocks
from thetahat.variances.base import BlockVariance, VarianceEstimate


class WithinBlockVariance(BlockVariance):
    r"""Base class of ``factor`` times :math:`(1/K^2) \sum_k V_k / M_k`, over the K blocks."""

    __slots__ = ()

    factor: ClassVar[int] = 1

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean."""
        return build_estimate(
            self.info,
            losses,
            self.factor * average_over_repeats(losses.moments, compute_within_blocks),
            count_degrees_within_blocks(losses),
            cautions=(*check_training_ignored(losses), *check_several_repeats(losses)),
        )


class WithinClusteredBlockVariance:
    r"""Base class of ``factor`` times :math:`1/K^2` the sum of cluster-robust block variances."""

    __slots__ = ()

    info: ClassVar[MethodInfo]
    factor: ClassVar[int] = 1

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the method cannot be used on this layout, or None."""
        return refuse_without_clusters_in_blocks(self.info, layout)

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean."""
        layout = losses.layout
        return build_estimate(
            self.info,
            losses,
            self.factor * estimate_within_blocks(losses),
            count_degrees(layout),
            cautions=(
                *check_few_clusters(len(layout.cluster_labels)),
                *check_training_ignored(losses),
                *check_several_repeats(losses),
            ),
        )
