"""What to know of an evaluation as a whole before reading its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from thetahat.values.block_losses import LossTable
from thetahat.values.layout import Layout
from thetahat.values.types import BlockKind, Caution

FEW: Final = 5
"""Fewer blocks than this leave at most three degrees of freedom between them."""

MANY_PAIRS: Final = 1000
"""More than this are corrected for, but hardly read."""


def doubts(
    table: LossTable, *, clip_without_range: bool, n_pairs: int, correction: str = "none"
) -> Iterator[Caution]:
    """Yield the cautions that belong to no single number."""
    yield from _of_layout(table)
    yield from _of_models(table)
    if clip_without_range:
        yield Caution(
            "range_unknown",
            "intervals were to be clipped, but the range of the losses is not known: give range",
        )
    if n_pairs > MANY_PAIRS:
        yield Caution(
            "many_pairs",
            f"{n_pairs} pairs are compared; a control would leave one for each other model",
        )
    if correction == "finner" and n_pairs > 1:
        yield Caution(
            "correction_can_be_liberal",
            "finner bounds the chance of a false finding only where all models are alike; where "
            "some differ it finds differences between equal ones more often than alpha",
        )


def _of_layout(table: LossTable) -> Iterator[Caution]:
    layout = table.layout
    if layout.has_fixed_models:
        yield Caution(
            "no_training_variance",
            "one test set of one fitted model each: what another training sample would change is "
            "not seen, so all numbers are about these models, not about the learners",
        )
    if layout.kind is not BlockKind.HOLDOUT and layout.n_blocks < FEW:
        yield Caution(
            "few_blocks",
            f"there are {layout.n_blocks} blocks; what rests on the spread between them is very "
            "uncertain",
        )
    if layout.kind is BlockKind.SUBSAMPLES:
        yield Caution(
            "no_partition",
            "the test parts are no partition of the instances and may overlap: more splits take "
            "away the luck of the draw, not that of the sample, and the pooled mean counts an "
            "instance as often as it was tested",
        )
    smallest, largest = int(layout.n_test.min()), int(layout.n_test.max())
    if largest > smallest + 1:
        yield Caution(
            "unequal_blocks",
            f"blocks hold {smallest} to {largest} instances; the macro mean counts blocks alike, "
            "the pooled mean instances",
        )
    if not layout.has_rows:
        yield Caution(
            "split_scores_only",
            "one number per split is known; what needs a loss for each instance is left out",
        )
    crossing = _n_crossing(layout)
    if crossing:
        yield Caution(
            "clusters_cross_blocks",
            f"{crossing} of {len(layout.cluster_labels)} clusters have instances in several "
            "blocks: a model is tested on clusters that it was trained on, which flatters it for "
            "new ones, and the blocks' means depend on each other",
        )


def _n_crossing(layout: Layout) -> int:
    """Return how many clusters lie in more than one block of the same repeat."""
    if layout.cluster is None or layout.kind not in (BlockKind.RANDOM, BlockKind.SOURCE):
        return 0
    split = layout.split_of_row()
    pairs = np.unique(layout.cluster * layout.n_splits + split)
    cluster, split = np.divmod(pairs, layout.n_splits)
    in_repeat = cluster * layout.n_repeats + layout.split_repeat[split]
    where, times = np.unique(in_repeat, return_counts=True)
    return len(np.unique(where[times > 1] // layout.n_repeats))


def _of_models(table: LossTable) -> Iterator[Caution]:
    for name, losses in table.models.items():
        moments = losses.moments
        squares = moments.centred_squares
        flat = moments.deviations.max() == moments.deviations.min()
        if flat and (squares is None or not squares.any()):
            yield Caution(
                "constant_losses",
                f"all losses of {name} are {moments.shift:.6g}; they say nothing of how sure "
                "their mean is",
            )
