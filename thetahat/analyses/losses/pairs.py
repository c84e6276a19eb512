"""The pairs of models to compare, and their differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from thetahat.analyses.losses.pair_moments import make_pair_moments
from thetahat.cautions import (
    DIFFERENCE_IN_METRIC_UNITS,
    EQUAL_BUT_FOR_ROUNDING,
    IDENTICAL_LOSSES,
    Caution,
)
from thetahat.intervals.tango_folds import FEWEST_DISCORDANT, FEWEST_FOR_MARGINS
from thetahat.numerics.bootstrap import SharedResamples
from thetahat.numerics.paired_rates import count_clustered_pair, count_pair_over_sources
from thetahat.paired_tests.base import IntermediateResults, PairBatch, PairedLosses
from thetahat.values.batch_sizes import NUMBERS_IN_2_MB
from thetahat.values.block_losses import MIN_LOSS, ROUNDING, BlockLosses, LossTable
from thetahat.values.moments import Moments
from thetahat.values.paired_counts import PairedCounts, count_pair
from thetahat.values.types import BlockKind, FloatArray
from thetahat.variances._spread_between_folds import check_folds
from thetahat.variances.instances_with_allowance import OF_DIFFERENCES

_BETTER_WHEN_HIGHER = DIFFERENCE_IN_METRIC_UNITS(more="")
_EQUAL_BUT_FOR_ROUNDING = EQUAL_BUT_FOR_ROUNDING()


class Pair(NamedTuple):
    """Two models and their difference."""

    a: str
    b: str
    """Names of the models."""
    losses: PairedLosses
    """The losses or scores of both, and their difference."""
    constant: float | None
    """The difference, if it is the same for every instance (or split)."""
    is_rounded: bool
    """Whether it is the same only up to rounding."""
    cautions: tuple[Caution, ...]
    """Cautions about the difference."""
    counts: PairedCounts | None = None
    """The two-by-two table of a test set whose losses are all 0 or 1, with clusters that of as many
    independent instances, over sources that of as many of one test set; None for other data."""
    counts_of_margins: PairedCounts | None = None
    """That of one partition on which too few instances differ for a margin to rest on the variance
    over instances alone; None where ``counts`` are used, and for other data."""


def list_places(names: Sequence[str], control: str | None) -> list[tuple[int, int]]:
    """Return the pairs of positions: all i < j, or every model with the control as b."""
    if control is not None:
        last = names.index(control)
        return [(i, last) for i in range(len(names)) if i != last]
    return [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]


def build_batches(
    table: LossTable,
    control: str | None,
    resamples: SharedResamples | None = None,
    loss_range: tuple[float, float] | None = None,
) -> Iterator[tuple[list[Pair], PairBatch]]:
    """Yield the pairs of ``list_places`` in batches of bounded size.

    ``resamples`` are the resamples of the evaluation's intervals; tests may use them too.
    ``loss_range`` is the smallest and the largest possible loss, if not that of the table.
    """
    names = table.names
    chosen = list_places(names, control)
    models = tuple(table.models.values())
    losses_by_model = [get_known_losses(losses) for losses in models]
    has_rates = find_rates(models, loss_range or table.loss_range)
    largest = np.array([np.abs(losses).max() for losses in losses_by_model])
    evaluation_cache = IntermediateResults()
    moments = make_pair_moments(models, len(chosen))
    step = max(1, NUMBERS_IN_2_MB // len(losses_by_model[0]))
    for start in range(0, len(chosen), step):
        positions_of_batch = chosen[start : start + step]
        positions = np.array(positions_of_batch, dtype=np.intp)
        differences = np.empty((len(positions_of_batch), len(losses_by_model[0])))
        for (i, j), out in zip(positions_of_batch, differences, strict=True):
            np.subtract(losses_by_model[i], losses_by_model[j], out=out)
        greatest, least = differences.max(axis=1), differences.min(axis=1)
        reach = np.maximum(ROUNDING * largest[positions].max(axis=1), MIN_LOSS)
        is_zero = np.maximum(greatest, -least) <= reach
        equal = (greatest - least <= reach) | is_zero
        rounded = equal & ((greatest > least) | (is_zero & (greatest != 0)))
        differences[rounded] = differences[rounded, :1]
        differences[is_zero] = 0.0
        equals = zip(equal.tolist(), rounded.tolist(), strict=True)
        entries = zip(positions_of_batch, differences, moments(positions), equals, strict=True)
        batch = [
            _build_pair(
                table,
                names,
                models,
                place,
                values,
                known,
                is_equal=same,
                is_rounded=near,
                has_rates=has_rates[place[0]] and has_rates[place[1]],
            )
            for place, values, known, (same, near) in entries
        ]
        yield (
            batch,
            PairBatch(
                pairs=tuple(pair.losses for pair in batch),
                positions=positions,
                models=models,
                n_pairs_total=len(chosen),
                differences=differences if models[0].values is not None else None,
                resamples=resamples,
                evaluation_cache=evaluation_cache,
            ),
        )


def _build_pair(  # noqa: PLR0913 - the pair and its differences
    table: LossTable,
    names: Sequence[str],
    models: Sequence[BlockLosses],
    place: tuple[int, int],
    differences: FloatArray,
    moments: Moments | None,
    *,
    is_equal: bool,
    is_rounded: bool,
    has_rates: bool,
) -> Pair:
    """Return one pair, with cautions if its differences are equal."""
    i, j = place
    cautions: tuple[Caution, ...] = (_BETTER_WHEN_HIGHER,) if table.higher_is_better else ()
    if is_rounded:
        cautions = (*cautions, _EQUAL_BUT_FOR_ROUNDING)
    constant = float(differences[0]) if is_equal else None
    if constant == 0:
        values = table.layout.words.values
        same = f"{values} that differ only by rounding" if is_rounded else f"identical {values}"
        cautions = (*cautions, IDENTICAL_LOSSES(a=names[i], b=names[j], same=same))
    difference = models[i].difference(models[j], differences, None if is_equal else moments)
    losses = PairedLosses(models[i], models[j], difference, table.higher_is_better)
    counts = _count(losses) if has_rates else None
    pair = Pair(names[i], names[j], losses, constant, is_rounded, cautions, counts)
    if counts is None or table.layout.kind is not BlockKind.RANDOM:
        return pair
    if np.count_nonzero(losses.difference.rows) < FEWEST_DISCORDANT:
        return pair
    return pair._replace(counts=None, counts_of_margins=counts)


def _count(pair: PairedLosses) -> PairedCounts | None:
    a, b = pair.a, pair.b
    cluster, n = a.layout.cluster, a.layout.n_instances
    if a.layout.kind in {BlockKind.RANDOM, BlockKind.SOURCE}:
        counts = count_pair_over_sources(a.rows, b.rows, a.layout.get_split_of_row())
        if not counts.discordant or a.layout.kind is BlockKind.SOURCE:
            return counts if counts.discordant else None
        is_rare = np.count_nonzero(pair.difference.rows) < FEWEST_FOR_MARGINS
        if not is_rare or check_folds(pair.difference):
            return None
        return counts.divide(1 + OF_DIFFERENCES * n / (n - 1), None)
    if cluster is None:
        return count_pair(a.rows, b.rows)
    return count_clustered_pair(a.rows, b.rows, cluster)


def find_rates(models: Sequence[BlockLosses], loss_range: tuple[float, float] | None) -> list[bool]:
    """Return for each model whether it has 0 or 1 for instances on which it was not trained.

    They are those of one test set, or of sources or one partition into folds without clusters.
    Losses that could have other values are no rates, also where all happen to be 0 or 1.
    """
    layout = models[0].layout
    trained_as_needed = (
        layout.has_fixed_models
        if layout.kind is BlockKind.SOURCE
        else layout.kind is BlockKind.RANDOM and layout.trains_on_other_folds
    )
    is_of_blocks = (
        trained_as_needed and layout.n_repeats == 1 and layout.has_rows and layout.cluster is None
    )
    is_other = loss_range not in {None, (0.0, 1.0)}
    if is_other or not (layout.kind is BlockKind.HOLDOUT or is_of_blocks):
        return [False] * len(models)
    return [losses.are_zero_one for losses in models]


def get_known_losses(losses: BlockLosses) -> FloatArray:
    """Return the (n,) losses by row, or the (J,) split means where rows are unknown."""
    if losses.values is not None:
        return losses.values
    assert losses.scores is not None  # noqa: S101 - BlockLosses has one of the two
    return losses.scores


def list_units(difference: BlockLosses) -> tuple[str, FloatArray]:
    """Return the name of the paired units and their (n,) differences.

    The units are blocks where blocks are sources, where only split means are known, and where the
    rows of one instance cannot be matched; otherwise they are instances.
    """
    layout = difference.layout
    if layout.kind is BlockKind.SOURCE or not layout.has_rows or not layout.is_matched:
        return "block", difference.moments.means
    return "instance", difference.compute_instance_means()


def count_independent_units(difference: BlockLosses, units: FloatArray) -> int:
    """Return the number of independent units: of clusters if known, but of sources first."""
    layout = difference.layout
    by_source = layout.kind is BlockKind.SOURCE
    return len(units) if by_source else len(layout.cluster_labels) or len(units)


def compute_within_part(difference: BlockLosses) -> float | None:
    """Return the average of V_k / M_k, over K: the part of B / K due to sampling within sources.

    None where one number per split is known, a block has one instance, or there are repeats.
    """
    layout = difference.layout
    if not layout.has_rows or layout.n_repeats > 1 or layout.smallest_block < 2:
        return None
    (moments,) = difference.moments.yield_repeats()
    return moments.mean_sampling_variance / moments.n_blocks
