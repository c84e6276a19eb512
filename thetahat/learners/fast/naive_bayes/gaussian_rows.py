"""Rows centred on the mean of all rows, and their class sums over any training part."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from thetahat.learners._training_parts import class_weights
from thetahat.learners.fast.discriminants.class_rows import ClassSums
from thetahat.tables.features import Features
from thetahat.values.batch_sizes import NUMBERS_IN_256_KB
from thetahat.values.types import FloatArray, IntArray

_ROWS_PER_BATCH: Final = 2048
"""Number of rows processed in one step, so that they stay in the cache."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassPowerSums(ClassSums):
    """Sums over some rows about the mean of all rows, by class and unweighted over all classes."""

    n: int
    """Number of rows."""
    x_of_all: FloatArray
    squares_of_all: FloatArray
    """Both (p,) sums without weights."""

    @property
    def largest_variance(self) -> float:
        """The largest variance of a column, rows unweighted."""
        return float((self.squares_of_all / self.n - (self.x_of_all / self.n) ** 2).max())


@dataclass(eq=False)
class GaussianRows:
    """All rows, centred on their mean."""

    X: FloatArray
    """(n, p) columns less their means."""
    y: np.ndarray
    """(n,) class codes."""
    w: FloatArray
    """(n,) weights."""
    centre: FloatArray
    """(p,) the means."""
    n_classes: int
    """C."""

    @cached_property
    def all(self) -> ClassPowerSums:
        """The sums over all rows."""
        return self.of(np.arange(len(self.y)))

    @cached_property
    def is_weighted(self) -> bool:
        """Whether weights differ from 1."""
        return not bool((self.w == 1).all())

    def of(self, index: IntArray) -> ClassPowerSums:
        """Return the sums over the rows in ``index``; a repeated row counts each time."""
        x, squares = self._sum_by_class(index, self.y, self.w, self.n_classes)
        if self.is_weighted:
            of_all = self._sum_by_class(index, np.zeros_like(self.y), np.ones_like(self.w), 1)
        else:
            of_all = x, squares
        y, w = self.y[index], self.w[index]
        return ClassPowerSums(
            np.bincount(y[w > 0], minlength=self.n_classes),
            class_weights(y, w, self.n_classes),
            x,
            squares,
            len(index),
            *(sums.sum(axis=0) for sums in of_all),
        )

    def _sum_by_class(
        self, index: IntArray, y: IntArray, w: FloatArray, n_classes: int
    ) -> tuple[FloatArray, FloatArray]:
        """Return the (C, p) sums of rows and of their squares by class."""
        sums, squares = np.zeros((2, n_classes, self.X.shape[1]))
        for start in range(0, len(index), _ROWS_PER_BATCH):
            some = index[start : start + _ROWS_PER_BATCH]
            member, rows = np.zeros((n_classes, len(some))), self.X[some]
            member[y[some], np.arange(len(some))] = w[some]
            sums += member @ rows
            squares += member @ (rows * rows)
        return sums, squares

    def distances(self, index: IntArray, means: FloatArray, variances: FloatArray) -> FloatArray:
        """Return the (C', m) scaled squared distances of the listed rows to (C', p) means."""
        rows, squares = self.X[index], np.empty((len(means), len(index)))
        for code, (mean, variance) in enumerate(zip(means, variances, strict=True)):
            squares[code] = ((rows - mean) ** 2 / variance).sum(axis=1)
        return squares


def gaussian_rows(features: Features, y: np.ndarray, w: FloatArray, n_classes: int) -> GaussianRows:
    """Return all rows centred on their mean; raises as ``complete_matrix`` does."""
    columns = features.columns
    if not isinstance(columns, np.ndarray):
        is_numeric = all(column.dtype.kind == "f" for column in columns)
        is_dense = is_numeric and not features.wide
        columns = np.array(columns) if is_dense else features.complete_matrix().T
    X, centre = np.empty((features.n, len(columns))), np.empty(len(columns))
    step = max(1, NUMBERS_IN_256_KB // max(1, features.n))
    for first in range(0, len(columns), step):
        some = slice(first, first + step)
        columns[some].mean(axis=1, out=centre[some])
        np.subtract(columns[some].T, centre[some], out=X[:, some])
    if not np.isfinite(centre).all():
        features.complete_matrix()
    return GaussianRows(X, y, w, centre, n_classes)
