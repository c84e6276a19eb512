r"""What is known of a difference of which the data show none.

If n independent units all have a difference of exactly 0, the probability :math:`\pi` of a unit
with another one is below :math:`1 - \alpha^{1/n}` with confidence :math:`1 - \alpha`, because
:math:`(1 - \pi)^n` is the probability of n zeros. If a unit changes the mean by R at most, the mean
difference lies within :math:`\pi R`. A difference of the margin :math:`\Delta` or more then has the
p-value :math:`(1 - \Delta / R)^n`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from thetahat.distributions import bound_p_value
from thetahat.values.block_losses import BlockLosses
from thetahat.values.block_nouns import BlockNoun
from thetahat.values.layout import Layout
from thetahat.values.types import BlockKind, IntArray, Target


class IdenticalUnits(NamedTuple):
    """Units that all have the same difference."""

    n_units: int
    """Their number."""
    noun: BlockNoun
    """The noun for them."""
    n_independent: float
    """The number of independent units that they count as; less than ``n_units`` where the models of
    overlapping training sets resemble each other, and 1 of instances in the order of time."""
    reach: float | None
    """The largest difference of a unit, in units of the mean; None where the range of the loss is
    not known, where these units say nothing about the target, or are in the order of time."""
    target: Target
    """What the difference is about."""

    def compute_p_value(self, margin: float) -> float | None:
        """Return the p-value of a difference of the margin or more; None without a reach."""
        if self.reach is None:
            return None
        return bound_p_value(max(0.0, 1 - margin / self.reach) ** self.n_independent)

    def compute_bound(self, alpha: float) -> float | None:
        """Return the upper bound of the difference at level 1 - alpha; None without a reach."""
        if self.reach is None:
            return None
        return -math.expm1(math.log(alpha) / self.n_independent) * self.reach

    def count_enough(self, margin: float, alpha: float) -> int | None:
        """Return how many units without a difference show less than the margin; None if unknown."""
        if self.reach is None or margin >= self.reach:
            return None
        needed = math.log(alpha) / math.log1p(-margin / self.reach)
        return math.floor(needed * self.n_units / self.n_independent) + 1


def find_equal_mean(losses: BlockLosses, target: Target) -> float | None:
    """Return the mean of every cluster, for a new source of every source; None if they differ.

    Means that differ only by rounding are equal, and 0 if they are 0 but for it.
    """
    layout = losses.layout
    if target is Target.NEW_SOURCE:
        means = losses.moments.means
    elif layout.cluster is None or not layout.has_rows:
        return None
    else:
        shift = float(losses.rows[0])
        sums = np.bincount(layout.cluster, weights=losses.rows - shift)
        means = shift + sums / np.bincount(layout.cluster)
    low, high, reach = float(means.min()), float(means.max()), losses.rounding_of_means
    if high - low > reach:
        return None
    return 0.0 if max(high, -low) <= reach else low


def count_identical_units(
    difference: BlockLosses, target: Target, loss_range: tuple[float, float] | None
) -> IdenticalUnits:
    """Return the units of a difference that is the same everywhere.

    They are the sources for a new source, else clusters or instances, and splits where nothing
    smaller is known. Over random folds and subsamples the expected error over training sets has
    fewer independent units: as many as the allowance of ``nadeau_bengio`` for overlapping training
    sets leaves, n / (1 + J n_2 / n_1) of n tests in J splits.

    Parameters
    ----------
    difference : BlockLosses
        The difference.
    target : Target
        What the statement is about.
    loss_range : tuple of float or None
        Smallest and largest possible loss; None or infinite where there is none.
    """
    layout = difference.layout
    width = None if loss_range is None else loss_range[1] - loss_range[0]
    if width is None or not math.isfinite(width) or target is Target.NEW_POPULATION:
        width = None
    if layout.time is not None:
        width = None  # the bound is for independent units
    if target is Target.NEW_SOURCE:
        n = layout.n_blocks
        return IdenticalUnits(
            n_units=n, noun=layout.words.noun, n_independent=n, reach=width, target=target
        )
    by_source = layout.kind is BlockKind.SOURCE and target is Target.THESE_SOURCES
    if not (layout.has_rows and layout.is_matched):
        if by_source or target is Target.THESE_MODELS or layout.test_to_train_ratio is None:
            width = None  # equal means of splits do not show that their instances are equal
        j = layout.n_splits
        share = _compute_share(layout, layout.n_splits)
        return IdenticalUnits(
            n_units=j,
            noun=layout.words.noun,
            n_independent=j * share,
            reach=width,
            target=target,
        )
    if layout.cluster is None:
        n, unit, ratio = layout.n_instances, "instance", 1.0
    else:
        n, unit, ratio = len(layout.cluster_labels), "cluster", _compare_sizes(layout.cluster)
    independent = float(n) if layout.time is None else 1.0
    if by_source:
        independent, ratio = _count_over_sources(layout)
    if target is Target.THESE_SOURCES and layout.n_train is not None:
        independent *= _compute_share(layout, layout.n_instances)
    return IdenticalUnits(
        n_units=n,
        noun=layout.words.get_unit(unit),
        n_independent=independent,
        reach=None if width is None else width * ratio,
        target=target,
    )


def _compute_share(layout: Layout, n: int) -> float:
    """Return the share of n units that remains after the allowance for overlapping training."""
    ratio = layout.test_to_train_ratio
    if ratio is None:
        return 1.0
    tests = layout.n_rows if layout.has_rows else layout.n_splits
    return min(1.0, tests / n / (1 + layout.n_splits * ratio))


def _compare_sizes(codes: IntArray) -> float:
    """Return the largest size over the mean size; a large cluster weighs more in the mean."""
    sizes = np.bincount(codes)
    return float(sizes.max() / sizes.mean())


def _count_over_sources(layout: Layout) -> tuple[float, float]:
    """Return K times the units of the smallest source, and the largest ratio of cluster sizes.

    The sources weigh alike in the macro mean, so the bound rests on the one that shows least.
    """
    block = layout.split_block[layout.get_split_of_row()]
    counts, ratios = [], []
    for code in range(len(layout.block_labels)):
        rows = block == code
        if layout.cluster is not None:
            sizes = np.bincount(layout.cluster[rows])
            sizes = sizes[sizes > 0]
        else:
            instance = np.flatnonzero(rows) if layout.instance is None else layout.instance[rows]
            sizes = np.ones(len(np.unique(instance)), dtype=np.intp)
        counts.append(len(sizes))
        ratios.append(float(sizes.max() / sizes.mean()))
    return float(len(counts) * min(counts)), max(ratios)
