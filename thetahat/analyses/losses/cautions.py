"""Cautions about an evaluation as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from thetahat.analyses.losses.identical_losses import find_equal_mean
from thetahat.analyses.thresholds import FEWEST_OF_SCALE
from thetahat.cautions import (
    CLUSTERS_CROSS_BLOCKS,
    CONSTANT_LOSSES,
    CORRECTION_CAN_BE_LIBERAL,
    EQUAL_MEANS,
    FEW_BLOCKS,
    HEAVY_TAILED_LOSSES,
    MANY_PAIRS,
    MISSING_CODE,
    NO_PARTITION,
    NO_TRAINING_VARIANCE,
    RANGE_UNKNOWN,
    ROW_NUMBERS_AS_LOSSES,
    ROWS_REPEATED,
    SCALES_DIFFER,
    SCALES_MIXED,
    SCORES_AS_LOSSES,
    SPLIT_SCORES_ONLY,
    TOTAL_ROW,
    UNEQUAL_BLOCKS,
    UNEVEN_TIMES,
    Caution,
)
from thetahat.common_names import LOSS_WORDS, SCORE_WORDS
from thetahat.corrections import CORRECTIONS
from thetahat.tables.labels import find_similar_labels
from thetahat.tables.missing_codes import find_missing_code
from thetahat.tables.totals import find_computed_total
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import Layout
from thetahat.values.left_out_rows import KeptRows
from thetahat.values.number_text import format_number, format_percent, name_method
from thetahat.values.paired_counts import is_zero_one
from thetahat.values.skewness import compute_skewness_of_mean
from thetahat.values.sorted_rows import find_repeated_rows, is_numbering
from thetahat.values.time_order import find_longest_step
from thetahat.values.types import BlockKind, BoolArray, FloatArray, Target
from thetahat.values.words import Words
from thetahat.variances._spread_between_folds import has_heavy_tail


def list_cautions(
    table: LossTable,
    *,
    of_runs: bool,
    clip_without_range: bool,
    n_pairs: int,
    correction: str,
) -> Iterator[Caution]:
    """Yield the cautions that are not about a single number.

    With ``of_runs`` the values are means of items over their runs.
    """
    if table.left_out is not None:
        yield from table.left_out.cautions()
    yield from _list_layout_cautions(table)
    words = table.layout.words
    if of_runs:
        words = words._replace(values="means of items")
    yield from _list_model_cautions(table, words)
    if clip_without_range:
        yield RANGE_UNKNOWN(table.layout.words)
    if n_pairs > MANY_PAIRS.threshold:
        yield MANY_PAIRS(n_pairs=n_pairs)
    if CORRECTIONS[correction].info.correction.is_liberal_where_models_differ and n_pairs > 1:
        yield CORRECTION_CAN_BE_LIBERAL(correction=name_method(correction))


def _list_layout_cautions(table: LossTable) -> Iterator[Caution]:
    layout = table.layout
    if layout.has_fixed_models:
        yield NO_TRAINING_VARIANCE()
    if layout.kind is not BlockKind.HOLDOUT and layout.n_blocks < FEW_BLOCKS.threshold:
        units = layout.words.blocks
        yield FEW_BLOCKS(subject="The evaluation", n=layout.n_blocks, units=units)
    if layout.kind is BlockKind.SUBSAMPLES and not layout.is_tested_once:
        yield NO_PARTITION()
    smallest, largest = int(layout.n_test.min()), int(layout.n_test.max())
    if largest > smallest + 1:
        yield UNEQUAL_BLOCKS(layout.words, smallest=smallest, largest=largest)
    yield from _list_long_steps(layout)
    if not layout.has_rows:
        yield SPLIT_SCORES_ONLY(layout.words)
    crossing = count_crossing_clusters(layout)
    if crossing:
        n_clusters = len(layout.cluster_labels)
        yield CLUSTERS_CROSS_BLOCKS(layout.words, n_cut=crossing, n_clusters=n_clusters)


def _list_long_steps(layout: Layout) -> Iterator[Caution]:
    longest = find_longest_step(layout.time_labels)
    if longest is not None and longest[2] >= UNEVEN_TIMES.threshold:
        before, after, steps = longest
        yield UNEVEN_TIMES(before=before, after=after, steps=steps)


def count_crossing_clusters(layout: Layout) -> int:
    """Return the number of clusters with instances in several blocks of the same repeat."""
    if layout.cluster is None or layout.kind not in (BlockKind.RANDOM, BlockKind.SOURCE):
        return 0
    split = layout.get_split_of_row()
    pairs = np.unique(layout.cluster * layout.n_splits + split)
    cluster, split = np.divmod(pairs, layout.n_splits)
    in_repeat = cluster * layout.n_repeats + layout.split_repeat[split]
    keys, n_blocks = np.unique(in_repeat, return_counts=True)
    return len(np.unique(keys[n_blocks > 1] // layout.n_repeats))


def _list_model_cautions(table: LossTable, words: Words) -> Iterator[Caution]:
    for name, losses in table.models.items():
        moments = losses.moments
        squares = moments.centred_squares
        flat = moments.deviations.max() == moments.deviations.min()
        if flat and (squares is None or not squares.any()):
            yield CONSTANT_LOSSES(words, model=name, constant=moments.shift)
        elif (equal := describe_equal_means(name, losses)) is not None:
            yield equal
        elif has_heavy_tails(losses):
            yield _describe_tails(name, losses)


def describe_equal_means(name: str, losses: BlockLosses) -> Caution | None:
    """Return the caution that the means of clusters, or of sources, do not vary, if so."""
    layout = losses.layout
    counted = [(Target.THESE_MODELS, "cluster", len(layout.cluster_labels))]
    if layout.kind is BlockKind.SOURCE:
        counted.append((Target.NEW_SOURCE, "block", layout.n_blocks))
    for target, unit, n in counted:
        constant = find_equal_mean(losses, target) if n > 1 else None
        if constant is not None:
            units = layout.words.get_unit(unit).plural
            mean = format_number(constant)
            about = f", and intervals are about these {units}, not about a new one"
            return EQUAL_MEANS(
                layout.words,
                model=name,
                constant=mean,
                n=n,
                units=units,
                consequence=about if target is Target.NEW_SOURCE else "",
            )
    return None


def has_heavy_tails(losses: BlockLosses) -> bool:
    """Return whether a few losses are so large that intervals for the mean cover too rarely.

    Only losses of independent instances are judged. Losses of 0 and 1 never count as heavy-tailed,
    because their intervals were studied separately.
    """
    layout = losses.layout
    if layout.cluster is not None or layout.kind is BlockKind.SOURCE:
        return False
    return has_heavy_tail(losses)


def _describe_tails(name: str, losses: BlockLosses) -> Caution:
    squares = (losses.rows - losses.moments.pooled_mean) ** 2
    n = losses.layout.n_instances
    times = len(squares) / n
    return HEAVY_TAILED_LOSSES(
        losses.layout.words,
        model=name,
        n=n,
        skewness=round(compute_skewness_of_mean(losses) or 0.0, 3),
        share=format_percent(round(min(1.0, times * float(squares.max() / squares.sum())), 3)),
    )


def suspect_values(table: LossTable, *, better_is_stated: bool) -> tuple[Caution, ...]:
    """Return cautions about models whose values do not look like losses.

    ``better_is_stated`` says whether the request says that lower or higher values are better; no
    caution then asks for it.
    """
    cautions: list[Caution] = []
    names = []
    for name, losses in table.models.items():
        values = losses.values
        if values is not None and is_numbering(values):
            low, high = f"{values.min():.0f}", f"{values.max():.0f}"
            words = table.layout.words
            cautions.append(ROW_NUMBERS_AS_LOSSES(words, model=name, low=low, high=high))
        else:
            names.append(name)
    if names and not better_is_stated and not table.higher_is_better:
        cautions += _suspect_scores(table, names)
    similar = find_similar_labels(table.models, "models")
    known = {n: m.values for n, m in table.models.items() if m.values is not None}
    scales = suspect_scales(known, are_losses=not table.higher_is_better)
    return (*cautions, *scales, *similar, *_suspect_copies(table), *_suspect_rows(table, known))


def _suspect_rows(table: LossTable, known: Mapping[str, FloatArray]) -> Iterator[Caution]:
    """Yield cautions if a row seems to sum up others, or a number to stand for a missing value.

    The values of a ratio of sums are no instances' own, and have their mean by construction.
    """
    if table.has_item_values:
        yield from suspect_totals(known)
    code = find_missing_code(known)
    if code is not None:
        yield MISSING_CODE(
            name=code.name, row=code.row, code=code.code, n=code.n, low=code.low, high=code.high
        )


def suspect_totals(
    values: Mapping[str, FloatArray], kept: KeptRows | None = None
) -> Iterator[Caution]:
    """Yield a caution if a row seems to sum up others; ``kept`` says which rows there are."""
    total = find_computed_total([*values.values()])
    if total is not None:
        row = total.row if kept is None else int(kept.index[total.row])
        yield TOTAL_ROW(row=row, reason=total.reason)


def suspect_scales(values: Mapping[str, FloatArray], *, are_losses: bool) -> Iterator[Caution]:
    """Yield a caution if some values seem to be in percent, and others of the same rows fractions.

    Parameters
    ----------
    values : mapping of str to ndarray
        (n,) values by the name of their model, or of the field of the true values.
    are_losses : bool
        Whether a good model may have much smaller values than others, as with losses; predictions
        and true values are apart where their means and their largest values are.
    """
    yield from _suspect_mixed(values, FEWEST_OF_SCALE if are_losses else 1)
    ranges = {
        name: (float(each.mean()), float(each.min()), float(each.max()))
        for name, each in values.items()
        if each.min() >= 0
    }
    if len(ranges) < 2:
        return
    small, large = min(ranges, key=ranges.__getitem__), max(ranges, key=ranges.__getitem__)
    (mean, low, high), (large_mean, large_low, large_high) = ranges[small], ranges[large]
    far = SCALES_DIFFER.threshold
    least_large = large_low if are_losses else large_high / far
    are_apart = least_large > high > 0 and large_mean > far * mean
    if are_apart or (high <= 1 and large_high == 100 and large_mean > 1):
        yield SCALES_DIFFER(
            large=large,
            large_range=f"{large_low:g} to {large_high:g}",
            small=small,
            small_range=f"{low:g} to {high:g}",
        )


def _suspect_mixed(values: Mapping[str, FloatArray], fewest_large: int) -> Iterator[Caution]:
    """Yield a caution on the first model of which some values seem to be in percent."""
    found = {name: find_percent(each, fewest_large) for name, each in values.items()}
    mixed = [name for name, rows in found.items() if rows.any()]
    for name in mixed[:1]:
        own, rows = values[name], found[name]
        small, large = int(np.argmin(rows)), int(np.argmax(rows))
        yield SCALES_MIXED(
            name=name,
            small=f"{own[small]:g}",
            small_row=small,
            large=f"{own[large]:g}",
            large_row=large,
            n_small=int((~rows).sum()),
            n_large=int(rows.sum()),
            large_range=f"{own[rows].min():g} to {own[rows].max():g}",
            others=f"; so it is with {len(mixed) - 1} more" if len(mixed) > 1 else "",
        )


def find_percent(values: FloatArray, fewest_large: int) -> BoolArray:
    """Return which of (n,) values seem to be in percent among fractions; none where it is unclear.

    There are hardly any between 1 and 10, or all are 0, 1 and 100.
    """
    rows = values > 1
    n_large = int(rows.sum())
    is_outside = values.min() < 0 or values.max() > 100
    if is_outside or n_large < fewest_large or len(values) - n_large < FEWEST_OF_SCALE:
        return np.zeros_like(rows)
    n_tenths, n_ones, n_tens = (
        int(((values > low) & (values <= 10 * low)).sum()) for low in (0.1, 1.0, 10.0)
    )
    n_right = int((values == 1).sum())
    are_outcomes = n_right >= FEWEST_OF_SCALE and np.isin(values, (0, 1, 100)).all()
    are_many = n_tenths >= FEWEST_OF_SCALE and n_tens >= fewest_large
    are_apart = are_many and n_ones <= SCALES_MIXED.threshold * min(n_tenths, n_tens)
    return rows & (are_apart or are_outcomes)


def _suspect_copies(table: LossTable) -> Iterator[Caution]:
    """Yield a caution if rows have the values of earlier ones in all models."""
    values = [losses.values for losses in table.models.values()]
    known = [each for each in values if each is not None]
    if len(known) < len(values) or not table.has_item_values:
        return
    layout = table.layout
    labels = layout.cluster if layout.instance is None else layout.instance
    found = find_repeated_rows(known, labels)
    if found is not None:
        yield ROWS_REPEATED(
            layout.words,
            n=found.n,
            n_rows=layout.n_rows,
            row=found.row,
            earlier=found.earlier,
        )


def _suspect_scores(table: LossTable, names: Sequence[str]) -> tuple[Caution, ...]:
    """Return a caution if values of these models, which were sent as losses, look like scores.

    They do if a model's name has a word such as accuracy, if no value of any model is above 0, as
    with log-likelihoods, or if all values are 0 or 1 and more than half of every model's are 1.
    """
    for name in names:
        words = set(re.findall(r"[a-z]+\d*", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()))
        if words & SCORE_WORDS and not words & LOSS_WORDS:
            return (SCORES_AS_LOSSES(reason=f"A model or column is named {name!r}"),)
    known = [table.models[name].values for name in names]
    if all(v is not None and v.max() <= 0 and v.min() < 0 for v in known):
        reason = "No value is above 0, and log-likelihoods are at most 0"
        return (SCORES_AS_LOSSES(reason=reason),)
    smallest = 1.0
    for values in known:
        if values is None or not is_zero_one(values):
            return ()
        smallest = min(smallest, float(values.mean()))
    if smallest <= SCORES_AS_LOSSES.threshold:
        return ()
    share = format_percent(round(smallest, 3))
    reason = f"All values are 0 or 1, and at least {share} of the values of every model are 1"
    return (SCORES_AS_LOSSES(reason=reason),)
