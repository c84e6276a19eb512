"""Exact nearest rows: candidates by products or a tree, ranked by exact distances."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import scipy

from thetahat.learners.fast.neighbours.compiled_search import RoughRows, loops_suit, tree_suits
from thetahat.numerics.loops.nearest_rows import COLUMNS_PER_SUM
from thetahat.values.batch_sizes import NUMBERS_IN_2_MB
from thetahat.values.types import FloatArray, IntArray

_MAX_UNPREPARED_QUERIES: Final = 4
"""Largest number of queries that are answered without preparation."""
_MAX_EQUALLY_FAR: Final = 2000
"""Largest number of rows, equally far as the last one of a list, that are all ranked."""
_GROUP: Final = 16
"""Number of columns in a group, of which only the smallest value is read first."""


@dataclass(frozen=True, slots=True, eq=False)
class NeighbourLists:
    """The nearest rows of each query, and the distance up to which each list is complete."""

    rows: IntArray
    """(q, length) row numbers by distance, of equal distances the lowest first."""
    squares: FloatArray
    """(q, length) squared distances, each summed from the differences themselves."""
    complete_below: FloatArray
    """(q,) rows of the list with a squared distance below this have the same positions as in a list
    of all rows."""


class Search:
    """The rows among which neighbours are searched.

    Candidates come from products of centred rows, or from a tree if there are few columns; both are
    wrong in the last digits, and the products of four-byte numbers in the compiled loops even
    earlier. So the candidates are ranked by distances computed from the differences, and the
    rounding error limits the part of the list that is known to be complete.
    """

    def __init__(self, rows: FloatArray) -> None:
        self.rows = np.ascontiguousarray(rows)

    @cached_property
    def _tree(self) -> Any:
        return scipy.spatial.cKDTree(self.rows, balanced_tree=False, compact_nodes=False)

    @cached_property
    def _centred(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the centre of the rows, the centred rows, and their squared lengths."""
        centre = self.rows.mean(axis=0)
        centred = self.rows - centre
        return centre, centred, np.einsum("ij,ij->i", centred, centred)

    @cached_property
    def _rough(self) -> RoughRows:
        return RoughRows(self.rows)

    def lists(self, queries: FloatArray, length: int) -> NeighbourLists:
        """Return the ``length`` nearest rows of each query, or all rows if there are fewer."""
        n, p = self.rows.shape
        queries, length = np.ascontiguousarray(queries), min(length, n)
        if len(queries) <= _MAX_UNPREPARED_QUERIES:
            return NeighbourLists(*self._search_all(queries, length), np.full(len(queries), np.inf))
        if loops_suit(n, p, len(queries), length):
            return self._search_by_loops(queries, length)
        if tree_suits(n, p, len(queries)):
            return self._search_by_tree(queries, length)
        return self._search_in_blocks(queries, length)

    def nearest(self, queries: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
        """Return (q, k) numbers and squared distances of the k nearest rows, the nearest first.

        Of rows equally far the lowest number comes first.
        """
        lists = self.lists(queries, k + 8)
        rows, squares = lists.rows[:, :k].copy(), lists.squares[:, :k].copy()
        unsure = np.flatnonzero(squares[:, -1] >= lists.complete_below)
        rows[unsure], squares[unsure] = self._search_all(queries[unsure], k)
        return rows, squares

    def _search_all(self, queries: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
        """Return the same as ``nearest``, from the distances to all rows."""
        n, p = self.rows.shape
        nearest_rows, squares = (
            np.empty((len(queries), k), dtype=np.intp),
            np.empty((len(queries), k)),
        )
        of_all, step = np.empty(n), max(1, NUMBERS_IN_2_MB // max(1, p))
        for at in range(len(queries)):
            query = queries[at : at + 1]
            for a in range(0, n, step):
                part = slice(a, a + step)
                of_all[part] = squared_distances(query, self.rows[None, part])[0]
            near = np.flatnonzero(of_all <= np.partition(of_all, k - 1)[k - 1])
            nearest_rows[at] = near[np.argsort(of_all[near], kind="stable")[:k]]
            squares[at] = of_all[nearest_rows[at]]
        return nearest_rows, squares

    def _search_by_loops(self, queries: FloatArray, length: int) -> NeighbourLists:
        rows, squares, below = self._rough.lists(queries, length)
        # Too many may be near: rows that are alike, or in groups so far apart that rounding hides
        # all order in them.
        again = np.flatnonzero(np.isneginf(below))
        if len(again):
            lists = self._search_in_blocks(queries[again], length)
            rows[again], squares[again] = lists.rows, lists.squares
            below[again] = lists.complete_below
        return NeighbourLists(rows, squares, below)

    def _search_by_tree(self, queries: FloatArray, length: int) -> NeighbourLists:
        distances, candidates = self._tree.query(queries, k=np.arange(1, length + 1))
        farthest = distances[:, -1] ** 2 * (1 - 1e-12)
        lists = self._rank(queries, np.asarray(candidates, dtype=np.intp), farthest)
        self._add_equally_far(queries, lists)
        return lists

    def _add_equally_far(self, queries: FloatArray, lists: NeighbourLists) -> None:
        """Complete lists that end with ties.

        Of equally distant rows those with the lowest numbers.
        """
        length = lists.rows.shape[1]
        again = np.flatnonzero(lists.squares[:, length // 2] >= lists.complete_below)
        if not len(again):
            return
        reach = np.sqrt(lists.squares[again, -1]) * (1 + 1e-12)
        within = self._tree.query_ball_point
        n_near = within(queries[again], reach, return_length=True)
        few = n_near <= _MAX_EQUALLY_FAR
        for query, radius in zip(again[few], reach[few], strict=True):
            near = np.array(within(queries[query], radius, return_sorted=True), dtype=np.intp)
            squares = squared_distances(queries[query : query + 1], self.rows[None, near])[0]
            order = np.argsort(squares, kind="stable")[:length]
            lists.rows[query], lists.squares[query] = near[order], squares[order]
            lists.complete_below[query] = np.nextafter(squares[order[-1]], np.inf)

    def _search_in_blocks(self, queries: FloatArray, length: int) -> NeighbourLists:
        step = max(1, NUMBERS_IN_2_MB // len(self.rows))
        if len(queries) <= step:
            return self._search_by_products(queries, length)
        parts = [
            self._search_by_products(queries[a : a + step], length)
            for a in range(0, len(queries), step)
        ]
        return NeighbourLists(
            np.concatenate([part.rows for part in parts]),
            np.concatenate([part.squares for part in parts]),
            np.concatenate([part.complete_below for part in parts]),
        )

    def _search_by_products(self, queries: FloatArray, length: int) -> NeighbourLists:
        centre, centred_rows, of_rows = self._centred
        if queries is self.rows:  # NumPy then computes half of the symmetric products
            centred, lengths = centred_rows, of_rows
        else:
            centred = queries - centre
            lengths = np.einsum("ij,ij->i", centred, centred)
        # Less the query's own length, which changes no order.
        near = centred @ centred_rows.T
        near *= -2
        near += of_rows
        n, p = self.rows.shape
        candidates = (
            np.tile(np.arange(n), (len(queries), 1)) if length == n else smallest(near, length)
        )
        farthest = np.take_along_axis(near, candidates, axis=1).max(axis=1) + lengths
        rounding = 4 * np.finfo(np.float64).eps * (p + 4) * (lengths + of_rows.max())
        return self._rank(queries, candidates, farthest - rounding)

    def _rank(self, queries: FloatArray, candidates: IntArray, below: FloatArray) -> NeighbourLists:
        """Sort by exact distance, then by row number."""
        candidates = np.sort(candidates, axis=1)
        squares = np.zeros(candidates.shape)
        p = self.rows.shape[1]
        step = max(1, NUMBERS_IN_2_MB // max(1, candidates.shape[1] * min(p, COLUMNS_PER_SUM)))
        for a in range(0, len(queries), step):
            part = slice(a, a + step)
            # Some columns at a time, which stay in the cache: 13 distances of each of 300 rows with
            # 100 000 columns take 0.5 s in place of 2.1 s.
            for first in range(0, p, COLUMNS_PER_SUM):
                columns = slice(first, first + COLUMNS_PER_SUM)
                rows = self.rows[:, columns][candidates[part]]
                squares[part] += squared_distances(queries[part, columns], rows)
        order = np.argsort(squares, axis=1, kind="stable")
        if candidates.shape[1] == len(self.rows):
            below = np.full(len(queries), np.inf)
        return NeighbourLists(
            np.take_along_axis(candidates, order, axis=1),
            np.take_along_axis(squares, order, axis=1),
            below,
        )


def smallest(values: FloatArray, length: int) -> IntArray:
    """Return the (q, length) columns of the smallest values of each row, unsorted.

    No column outside them has a smaller value than one of them. The smallest of every group of
    columns gives a bound that at least ``length`` values keep, and few others do.
    """
    n_rows, n = values.shape
    n_groups = n // _GROUP
    if n_groups < 2 * length:
        return np.argpartition(values, length - 1, axis=1)[:, :length]
    grouped = values[:, : n_groups * _GROUP].reshape(n_rows, _GROUP, n_groups).min(axis=1)
    bound = np.partition(grouped, length - 1, axis=1)[:, length - 1 : length]
    row, column = np.divmod(np.flatnonzero(values <= bound), n)
    counts = np.bincount(row, minlength=n_rows)
    most = int(counts.max(initial=0))
    if most > 8 * length:  # values that stand there often
        return np.argpartition(values, length - 1, axis=1)[:, :length]
    place = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    few, columns = np.full((n_rows, most), np.inf), np.zeros((n_rows, most), dtype=np.intp)
    few[row, place] = values[row, column]
    columns[row, place] = column
    if most == length:
        return columns
    return np.take_along_axis(columns, np.argpartition(few, length - 1, axis=1)[:, :length], axis=1)


def squared_distances(queries: FloatArray, rows: FloatArray) -> FloatArray:
    """Return (q, m) squared distances whose digits do not depend on the other pairs."""
    squares = np.zeros(rows.shape[:2])
    for first in range(0, rows.shape[2], COLUMNS_PER_SUM):
        columns = slice(first, first + COLUMNS_PER_SUM)
        differences = rows[:, :, columns] - queries[:, None, columns]
        squares += (differences * differences).sum(axis=2)
    return squares
