"""Sums over training parts, in decorrelated rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from thetahat.learners.base import Part
from thetahat.learners.fast.discriminants.class_rows import ClassRows
from thetahat.learners.fast.discriminants.decorrelated_rows import (
    DecorrelatedRows,
    decorrelate_rows,
)
from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Sums over K training parts by class; see ``ClassSums``.

    Parameters
    ----------
    turned : TurnedRows
        All rows.
    tested : ndarray of float
        (p + C, M) the turned rows of the test parts, part after part.
    lengths : ndarray of float
        (M,) their squared lengths.
    is_rest : ndarray of bool
        (K,) whether the sums over the left-out rows were subtracted from those over all rows.
    counts : ndarray
        (K, C) number of rows with weight.
    sums : ndarray
        (K, p + C, p + C) weighted sums of products, sums by class, and weights.
    """

    turned: DecorrelatedRows
    tested: FloatArray
    lengths: FloatArray
    is_rest: np.ndarray
    counts: FloatArray
    sums: FloatArray


class PartSums:
    """Sums over any training parts, in rows that are decorrelated once.

    Parameters
    ----------
    rows : ClassRows
        All rows; they are decorrelated in place.
    """

    def __init__(self, rows: ClassRows) -> None:
        self.rows = rows
        turned = decorrelate_rows(rows)
        self.turned = None if turned is None else (turned, rows.sum_products(rows.both, rows.w))

    def over(self, parts: Sequence[Part]) -> Sums | None:
        """Return the sums over the training parts, computed from the smaller side.

        None if digits are lost.
        """
        if self.turned is None:
            return None
        turned, of_all = self.turned
        summed, tests = [rows_to_sum(part) for part in parts], [part.test for part in parts]
        index = np.concatenate(summed)
        rows, w, sizes = (
            np.take(turned.both, index, axis=1),
            self.rows.w[index],
            list(map(len, summed)),
        )
        sums = _sum_products(self.rows, rows, w, sizes)
        counts = _count_rows(self.rows, rows, w, sizes, sums)
        is_rest = np.array([one is part.left_out for one, part in zip(summed, parts, strict=True)])
        counts = np.where(is_rest[:, None], self.rows.n_with_weight - counts, counts)
        np.subtract(of_all, sums, out=sums, where=is_rest[:, None, None])
        places = np.concatenate(tests)
        if not (is_rest.all() and all(part.is_complement for part in parts)):
            rows = np.take(turned.both, places, axis=1)
        return Sums(turned, rows, turned.lengths[places], is_rest, counts, sums)


def _sum_products(
    rows: ClassRows, some: FloatArray, w: FloatArray, sizes: Sequence[int]
) -> FloatArray:
    """Return the (K, q, q) weighted sums of products of (q, M) rows, part after part."""
    sums = np.empty((len(sizes), len(some), len(some)))
    for at, (a, b) in enumerate(pairwise(accumulate(sizes, initial=0))):
        of_part: FloatArray = some[:, a:b]
        np.matmul(of_part * w[a:b] if rows.is_weighted else of_part, of_part.T, out=sums[at])
    return sums


def _count_rows(
    rows: ClassRows, some: FloatArray, w: FloatArray, sizes: Sequence[int], sums: FloatArray
) -> FloatArray:
    """Return the (K, C) number of rows with positive weight."""
    p = len(rows.Z)
    if not rows.is_weighted:
        return np.array(np.einsum("kcc->kc", sums[:, p:, p:]))
    seen = np.cumsum(some[p:] * (w > 0), axis=1)[:, np.cumsum(sizes) - 1]
    return np.asarray(np.diff(seen, axis=1, prepend=0.0).T)


def rows_to_sum(part: Part) -> IntArray:
    """Return the rows to sum over for a part: the left-out rows if they are fewer."""
    if part.left_out is None or len(part.left_out) > part.n_train:
        return part.train
    return part.left_out
