"""The rows of all classes about their common mean, and sums of them over any training part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np

from thetahat.features import Features
from thetahat.learners._class_rows import LEAST_LEFT
from thetahat.learners.base import Part
from thetahat.types import FloatArray, IntArray

_AT_ONCE: Final = 2048
"""Rows looked at in one step, so that their squares stay in the cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Sums over some rows, by class, and over all of them without weights.

    Parameters
    ----------
    rows : ndarray of int
        (C,) number of rows that have weight.
    weight : ndarray of float
        (C,) total weight.
    x, squares : ndarray of float
        (C, p) weighted sums, of the rows about the mean of all rows, and of their squares.
    n : int
        Number of rows.
    x_of_all, squares_of_all : ndarray of float
        (p,) sums without weights.
    """

    rows: IntArray
    weight: FloatArray
    x: FloatArray
    squares: FloatArray
    n: int
    x_of_all: FloatArray
    squares_of_all: FloatArray

    def without(self, other: Moments) -> Moments:
        """Return the sums without those of some of the rows."""
        parts = {f.name: getattr(self, f.name) - getattr(other, f.name) for f in fields(self)}
        return Moments(**parts)

    @property
    def largest_variance(self) -> float:
        """The largest variance of a column, rows unweighted."""
        return float((self.squares_of_all / self.n - (self.x_of_all / self.n) ** 2).max())


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """Values of m rows, sorted by class.

    Parameters
    ----------
    x, squares : ndarray of float
        (m, p) rows about the mean of all, and their squares.
    index : ndarray of int
        (m,) their row numbers.
    order : ndarray of int
        (m,) where each stood before it was sorted.
    starts : sequence of int
        (C + 1,) where the rows of each class begin.
    """

    x: FloatArray
    squares: FloatArray
    index: IntArray
    order: IntArray
    starts: Sequence[int]


@dataclass(eq=False)
class GaussianRows:
    """All rows, about their mean.

    Parameters
    ----------
    X : ndarray of float
        (n, p) columns less their means.
    y : ndarray of int
        (n,) class codes.
    w : ndarray of float
        (n,) weights.
    centre : ndarray of float
        (p,) the means.
    n_classes : int
        C.
    """

    X: FloatArray
    y: np.ndarray
    w: FloatArray
    centre: FloatArray
    n_classes: int

    @cached_property
    def all(self) -> Moments:
        """The sums over all rows."""
        return self.of(np.arange(len(self.y)))

    @cached_property
    def is_weighted(self) -> bool:
        """Whether weights differ from 1."""
        return not bool((self.w == 1).all())

    def of(self, index: IntArray) -> Moments:
        """Return the sums over some rows, each as often as it stands in ``index``."""
        cuts = range(0, len(index), _AT_ONCE)
        return self.of_values(self.values(index[start : start + _AT_ONCE]) for start in cuts)

    def of_values(self, parts: Iterable[Values]) -> Moments:
        """Return the sums over rows that are at hand."""
        shape = (2, self.n_classes, self.X.shape[1])
        (x, squares), of_all = np.zeros(shape), np.zeros((2, shape[2]))
        weight, rows, n = np.zeros(self.n_classes), np.zeros(self.n_classes, dtype=np.intp), 0
        for part in parts:
            n += len(part.index)
            w = self.w[part.index]
            for code, (start, stop) in enumerate(pairwise(part.starts)):
                x[code] += w[start:stop] @ part.x[start:stop]
                squares[code] += w[start:stop] @ part.squares[start:stop]
                weight[code] += w[start:stop].sum()
                rows[code] += np.count_nonzero(w[start:stop])
            if self.is_weighted:
                of_all += part.x.sum(axis=0), part.squares.sum(axis=0)
        if not self.is_weighted:
            of_all = np.stack([x.sum(axis=0), squares.sum(axis=0)])
        return Moments(rows, weight, x, squares, n, *of_all)

    def values(self, index: IntArray) -> Values:
        """Return the values of some rows, sorted by class."""
        y = self.y[index]
        places = [np.flatnonzero(y == code) for code in range(self.n_classes)]
        order = np.concatenate(places)
        x = self.X[index[order]]
        starts = np.cumsum([0, *(len(place) for place in places)]).tolist()
        return Values(x, x * x, index[order], order, starts)

    def of_training(self, part: Part, test: Values) -> Moments | None:
        """Return the sums over a training part; None where digits would be lost.

        ``test`` is ``values(part.test)``.
        """
        left_out = part.left_out
        if left_out is None or len(left_out) > len(part.train):
            return self.of(part.train)
        if len(left_out) <= _AT_ONCE and np.array_equal(left_out, part.test):
            sums = self.all.without(self.of_values([test]))
        else:
            sums = self.all.without(self.of(left_out))
        present = sums.rows > 0
        if (sums.weight[present] < LEAST_LEFT * self.all.weight[present]).any():
            return None
        return sums


def gaussian_rows(features: Features, y: np.ndarray, w: FloatArray, n_classes: int) -> GaussianRows:
    """Return all rows about their mean; refuses what ``complete_matrix`` does."""
    given = features.columns
    if features.wide or any(column.dtype.kind != "f" for column in given):
        given = tuple(features.complete_matrix().T)
    X, centre = np.empty((features.n, len(given))), np.empty(len(given))
    for at, column in enumerate(given):
        centre[at] = column.mean()
        np.subtract(column, centre[at], out=X[:, at])
    if not np.isfinite(centre).all():
        features.complete_matrix()
    return GaussianRows(X, y, w, centre, n_classes)
