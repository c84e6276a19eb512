"""Nearest rows, exactly: found by products or by a tree, ranked by their true distances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from thetahat.types import FloatArray, IntArray

_MOST_FOR_TREE: Final = 12
"""Columns up to which a tree beats products of all rows with all."""
_LEAST_FOR_TREE: Final = 64
_BLOCK: Final = 250_000
"""Distances held at a time: two megabytes, which stay near the processor."""
_GROUP: Final = 16
"""Columns of which only the smallest is looked at first."""


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """The nearest rows of each query, and how far the list can be trusted.

    Parameters
    ----------
    rows : ndarray of int
        (q, length) row numbers by distance, of equal distances the lowest first.
    squares : ndarray of float
        (q, length) squared distances, each summed from the differences themselves.
    complete_below : ndarray of float
        (q,) every row with a squared distance below this is in the list.
    """

    rows: IntArray
    squares: FloatArray
    complete_below: FloatArray


class Search:
    """The rows that are searched.

    Candidates come from products of rows about their mean, or from a tree where columns are few;
    both are wrong in the last digits. So distances are computed anew from the differences, the
    candidates are ranked by these, and what rounding may have left out bounds the list.
    """

    def __init__(self, rows: FloatArray) -> None:
        self.rows = rows
        self.tree: Any = None
        n, p = rows.shape
        if p <= _MOST_FOR_TREE and n >= _LEAST_FOR_TREE:
            from scipy.spatial import cKDTree  # noqa: PLC0415 - the API need not load it

            self.tree = cKDTree(rows, balanced_tree=False, compact_nodes=False)
        else:
            self.centre = rows.mean(axis=0)
            centred = rows - self.centre
            self.lengths = np.einsum("ij,ij->i", centred, centred)
            self.minus_twice = np.ascontiguousarray(-2 * centred.T)

    def lists(self, queries: FloatArray, length: int) -> Lists:
        """Return the ``length`` nearest rows of each query, or all rows where there are fewer."""
        n = len(self.rows)
        length = min(length, n)
        if self.tree is not None:
            return self._by_tree(queries, length)
        step = max(1, _BLOCK // max(1, n))
        parts = [
            self._by_products(queries[a : a + step], length) for a in range(0, len(queries), step)
        ]
        if not parts:
            return Lists(np.empty((0, length), dtype=np.intp), np.empty((0, length)), np.empty(0))
        return Lists(
            np.concatenate([part.rows for part in parts]),
            np.concatenate([part.squares for part in parts]),
            np.concatenate([part.complete_below for part in parts]),
        )

    def _by_tree(self, queries: FloatArray, length: int) -> Lists:
        distances, found = self.tree.query(queries, k=np.arange(1, length + 1))
        farthest = distances[:, -1] ** 2 * (1 - 1e-12)
        return self._ranked(queries, np.asarray(found, dtype=np.intp), farthest)

    def _by_products(self, queries: FloatArray, length: int) -> Lists:
        centred = queries - self.centre
        lengths = np.einsum("ij,ij->i", centred, centred)
        # Less the query's own length, which changes no order.
        near = centred @ self.minus_twice
        near += self.lengths
        n, p = self.rows.shape
        found = np.tile(np.arange(n), (len(queries), 1)) if length == n else smallest(near, length)
        farthest = np.take_along_axis(near, found, axis=1).max(axis=1) + lengths
        rounding = 4 * np.finfo(np.float64).eps * (p + 4) * (lengths + self.lengths.max())
        return self._ranked(queries, found, farthest - rounding)

    def _ranked(self, queries: FloatArray, found: IntArray, below: FloatArray) -> Lists:
        """Rank by the true distances; by row number where they are equal."""
        found = np.sort(found, axis=1)
        squares = np.empty(found.shape)
        step = max(1, _BLOCK // max(1, found.shape[1] * self.rows.shape[1]))
        for a in range(0, len(queries), step):
            part = slice(a, a + step)
            squares[part] = squared_distances(queries[part], self.rows[found[part]])
        order = np.argsort(squares, axis=1, kind="stable")
        if found.shape[1] == len(self.rows):
            below = np.full(len(queries), np.inf)
        return Lists(
            np.take_along_axis(found, order, axis=1),
            np.take_along_axis(squares, order, axis=1),
            below,
        )


def smallest(values: FloatArray, length: int) -> IntArray:
    """(q, length) columns of the smallest values of each row, in no order.

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
    """(q, m) from (q, p) and (q, m, p): the same digits for a pair, whatever stands around it."""
    differences = rows - queries[:, None, :]
    return np.asarray((differences * differences).sum(axis=2))


def nearest(search: Search, queries: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
    """(q, k) row numbers and squared distances of the k nearest rows, the nearest first.

    Of rows equally far the lowest number comes first.
    """
    lists = search.lists(queries, k + 8)
    rows, squares = lists.rows[:, :k].copy(), lists.squares[:, :k].copy()
    for query in np.flatnonzero(squares[:, -1] >= lists.complete_below):
        of_all = squared_distances(queries[query : query + 1], search.rows[None])[0]
        order = np.argsort(of_all, kind="stable")[:k]
        rows[query], squares[query] = order, of_all[order]
    return rows, squares
