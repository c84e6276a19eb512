"""Sums over the training parts of splits, of rows that are turned so that they hardly correlate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from thetahat.learners._class_rows import ClassRows
from thetahat.learners._turned_rows import TurnedRows, nearly_turned_rows
from thetahat.learners.base import Part
from thetahat.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Sums over K training parts, by class, as ``ClassSums`` has them.

    Parameters
    ----------
    turned : TurnedRows
        All rows.
    tested : ndarray of float
        (p + C, M) the turned rows of the test parts, part after part.
    lengths : ndarray of float
        (M,) their squared lengths.
    is_rest : ndarray of bool
        (K,) whether the sums over the rows left out were taken from those over all.
    counts : ndarray
        (K, C) number of rows with weight.
    sums : ndarray
        (K, p + C, p + C) weighted sums of products, sums by class, and weights.
    """

    turned: TurnedRows
    tested: FloatArray
    lengths: FloatArray
    is_rest: np.ndarray
    counts: FloatArray
    sums: FloatArray


class SumsOfAny:
    """Sums over any parts of the rows, which are turned once.

    Parameters
    ----------
    rows : ClassRows
        All rows; they are turned where they stand.
    """

    def __init__(self, rows: ClassRows) -> None:
        self.rows = rows
        self.turned = nearly_turned_rows(rows)
        if self.turned is not None:
            self.all = rows.products_of(rows.both, rows.w)
            nearer = self.turned.nearer(self.all)
            if nearer is not None and nearer is not self.turned:
                self.all = rows.products_of(rows.both, rows.w)
            self.turned = nearer

    def over(self, parts: Sequence[Part]) -> Sums | None:
        """Return the sums over the training parts, by way of the fewer rows; None as turned."""
        if self.turned is None:
            return None
        summed, tests = [summed_of(part) for part in parts], [part.test for part in parts]
        index = np.concatenate(summed)
        rows = np.take(self.turned.both, index, axis=1)
        sums, counts = _by_part(self.rows, rows, self.rows.w[index], list(map(len, summed)))
        is_rest = np.array([one is part.left_out for one, part in zip(summed, parts, strict=True)])
        counts = np.where(is_rest[:, None], self.rows.n_with_weight - counts, counts)
        np.subtract(self.all, sums, out=sums, where=is_rest[:, None, None])
        places = np.concatenate(tests)
        if not (is_rest.all() and all(part.tests_left_out for part in parts)):
            rows = np.take(self.turned.both, places, axis=1)
        return Sums(self.turned, rows, self.turned.lengths[places], is_rest, counts, sums)


def sums_of_blocks(rows: ClassRows, sizes: Sequence[int]) -> Sums | None:
    """Return the sums over all rows but those of each block, which stand block after block.

    Those over all rows are those over the blocks together: no row is looked at twice.

    Parameters
    ----------
    rows : ClassRows
        All rows in the order of the blocks; they are turned where they stand.
    sizes : sequence of int
        (K,) number of rows of each block.
    """
    turned = nearly_turned_rows(rows)
    if turned is None:
        return None
    sums, counts = _by_part(rows, rows.both, rows.w, sizes)
    of_all = sums.sum(axis=0)
    nearer = turned.nearer(of_all)
    if nearer is not turned:
        if nearer is None:
            return None
        turned = nearer
        sums, counts = _by_part(rows, rows.both, rows.w, sizes)
        of_all = sums.sum(axis=0)
    np.subtract(of_all, sums, out=sums)
    is_rest = np.ones(len(sizes), dtype=np.bool_)
    return Sums(turned, rows.both, turned.lengths, is_rest, rows.n_with_weight - counts, sums)


def _by_part(
    rows: ClassRows, some: FloatArray, w: FloatArray, sizes: Sequence[int]
) -> tuple[FloatArray, FloatArray]:
    """(K, q, q) weighted sums of products and (K, C) rows with weight, of (q, M) some rows."""
    q, n_classes, ends = len(some), len(rows.means), list(accumulate(sizes, initial=0))
    sums = np.empty((len(sizes), q, q))
    for at, (a, b) in enumerate(pairwise(ends)):
        of_part: FloatArray = some[:, a:b]
        weighted = of_part * w[a:b] if rows.is_weighted else of_part
        np.matmul(weighted, of_part.T, out=sums[at])
    counts = np.einsum("kcc->kc", sums[:, q - n_classes :, q - n_classes :])
    if not rows.is_weighted:
        return sums, counts.copy()
    seen = np.cumsum(some[q - n_classes :] * (w > 0), axis=1)[:, np.array(ends[1:]) - 1]
    return sums, np.diff(seen, axis=1, prepend=0.0).T


def order_of_blocks(parts: Sequence[Part], n: int) -> IntArray | None:
    """(n,) rows in the order of the test parts, if each is tested once and left out there."""
    if sum(len(part.test) for part in parts) != n:
        return None
    if not all(part.tests_left_out and len(part.test) <= part.n_train for part in parts):
        return None
    order = np.concatenate([part.test for part in parts])
    seen = np.zeros(n, dtype=np.bool_)
    seen[order] = True
    return order if seen.all() else None


def summed_of(part: Part) -> IntArray:
    """Return the rows that the sums of a part are taken over: those left out where they are few."""
    if part.left_out is None or len(part.left_out) > part.n_train:
        return part.train
    return part.left_out
