"""Whether rows are sorted, so that neighbours are alike, numbered by their values, or repeated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from thetahat.cautions import ROW_NUMBERS_AS_LOSSES
from thetahat.values.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from thetahat.values.layout import Layout

FEWEST_ROWS: Final = 5
"""Fewer rows with copies may be equal by chance, at ends of a range such as 0 and 1."""
LEAST_SHARE: Final = 0.1
"""The least share of rows with copies: of different pupils with the same marks a few are alike."""
TIMES_CHANCE: Final = 10
"""How many times more pairs there must be than among numbers that are spread over their range."""
MOST_COPIES: Final = 10
MOST_ROWS: Final = 100_000
"""Rows of a table that is looked through, which takes 0.1 s at most."""
MOST_CELLS: Final = 1e9


def are_monotone(values: np.ndarray, starts: IntArray) -> BoolArray:
    """Return which blocks have values that only rise or only fall, by more than one row at an end.

    ``values`` are (n,) values, block by block, and ``starts`` (B + 1,) the first row of each block,
    and n.
    """
    first, end = starts[:-1], starts[1:]
    rises, falls = np.zeros((2, len(values)), dtype=np.bool_)
    np.greater(values[1:], values[:-1], out=rises[1:])
    np.less(values[1:], values[:-1], out=falls[1:])
    rises[first] = falls[first] = False
    only_one = np.logical_or.reduceat(rises, first) != np.logical_or.reduceat(falls, first)
    is_end = (values[first] == values[np.maximum(end - 2, first)]) | (
        values[np.minimum(first + 1, end - 1)] == values[end - 1]
    )
    return np.asarray(only_one & ~is_end)


def find_splits_sorted_by_truth(truth: np.ndarray, layout: Layout) -> BoolArray:
    """Return in which splits of the first repeat equal true values stand together.

    Of values that are mostly different from their neighbours only those that rise or fall count as
    sorted, and values that are all equal do not. ``truth`` are the (n,) true values by row.
    """
    rows, starts = layout.get_first_repeat()
    known, codes = np.unique(truth[rows], return_inverse=True)
    codes, first, sizes = codes.reshape(-1), starts[:-1], np.diff(starts)
    is_start = np.append(True, codes[1:] != codes[:-1])
    is_start[first] = True
    n_runs = np.add.reduceat(is_start.astype(np.intp), first)
    block = np.repeat(np.arange(len(sizes)), sizes)
    n_values = np.bincount(np.unique(block * len(known) + codes) // len(known))
    are_together = (n_runs == n_values) & (n_values > 1) & (n_runs <= sizes // 2)
    return np.asarray(are_together | are_monotone(codes, starts))


def is_numbering(values: FloatArray) -> bool:
    """Return whether values are whole numbers without gap or repetition, in any order."""
    n, lowest = len(values), float(values.min())
    if n < ROW_NUMBERS_AS_LOSSES.threshold or values.max() - lowest != n - 1:
        return False
    return lowest.is_integer() and np.array_equal(np.sort(values), lowest + np.arange(n))


class RepeatedRows(NamedTuple):
    """Rows that are equal to an earlier one."""

    n: int
    """Number of them."""
    row: int
    """The first, counted from 0."""
    earlier: int
    """The row that it repeats."""


def find_repeated_rows(
    models: Sequence[FloatArray], labels: IntArray | None = None
) -> RepeatedRows | None:
    """Return the rows that repeat an earlier one in all models, if chance does not explain them.

    Numbers of few digits are equal by chance, and so are ends of a range, which many rows have.
    ``models`` are the (n,) losses of each model. ``labels`` are (n,) codes of what rows may share,
    such as the instance; equal rows of one are no copies.
    """
    n = len(models[0]) if models else 0
    if not FEWEST_ROWS < n <= MOST_ROWS or any(len(np.unique(v)) == n for v in models):
        return None
    n_by_chance = _count_by_chance(models)
    if TIMES_CHANCE * n_by_chance > n:
        return None
    rows = np.column_stack(models)
    _, first, group, sizes = np.unique(
        rows, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    group = group.reshape(-1)
    is_repeated = sizes > 1
    if labels is not None:
        n_labels = np.zeros(len(sizes), dtype=np.intp)
        np.add.at(n_labels, np.unique(np.column_stack([group, labels]), axis=0)[:, 0], 1)
        is_repeated &= n_labels > 1
    is_repeated &= ~_are_ends(rows[first])
    n_groups = int(is_repeated.sum())
    if n_groups < max(FEWEST_ROWS, LEAST_SHARE * n, TIMES_CHANCE * n_by_chance):
        return None
    if np.median(sizes[is_repeated]) > MOST_COPIES:
        return None
    copies = np.flatnonzero(is_repeated[group] & (first[group] != np.arange(n)))
    return RepeatedRows(len(copies), int(copies[0]), int(first[group[copies[0]]]))


def _count_by_chance(models: Sequence[FloatArray]) -> float:
    """Return about how many pairs of rows are equal if numbers are spread over their range.

    Where all models but one have their most frequent value, only that one tells rows apart.
    """
    n, n_cells = len(models[0]), [_count_cells(values) for values in models]
    first, *others = sorted(n_cells, reverse=True)
    n_pairs = n * n / 2 / (first * float(np.sqrt(np.prod(others))))  # models agree on many rows
    are_frequent = np.array([_are_most_frequent(values) for values in models])
    n_frequent = are_frequent.sum(axis=0)
    for is_frequent, cells in zip(are_frequent, n_cells, strict=True):
        n_alone = int((n_frequent - is_frequent == len(models) - 1).sum())
        n_pairs += n_alone**2 / 2 / cells if len(models) > 1 else 0.0
    return n_pairs


def _are_most_frequent(values: FloatArray) -> np.ndarray:
    known, counts = np.unique(values, return_counts=True)
    return np.asarray(values == known[np.argmax(counts)])


def _are_ends(rows: FloatArray) -> np.ndarray:
    """Return which of (u, k) different rows have values that other rows have, too, throughout."""
    are_shared = np.ones(len(rows), dtype=np.bool_)
    if rows.shape[1] < 2:
        return ~are_shared
    for values in rows.T:
        _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
        are_shared &= counts[place.reshape(-1)] > 2
    return are_shared


def _count_cells(values: FloatArray) -> float:
    """Return how many values there are between the smallest and the largest, by their digits."""
    low, high = float(values.min()), float(values.max())
    if not high > low:
        return 1.0
    steps = np.diff(np.unique(np.round((values - low) / (high - low), 9)))
    return min(MOST_CELLS, 1.0 / float(steps.min()) + 1.0)
