"""The rows of all classes about their class means, and sums of them over any training part."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thetahat.learners._parts import class_weights
from thetahat.learners._ridge_rows import weighted_mean
from thetahat.learners.base import Part
from thetahat.types import FloatArray, IntArray

LEAST_LEFT = 1e-6
"""Share of a class's weight that must stay, so that to subtract the rest costs few digits."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassSums:
    """Sums over the rows of each class; rows are taken from their class's mean over all rows.

    Parameters
    ----------
    rows : ndarray of int
        (C,) number of rows that have weight.
    weight : ndarray of float
        (C,) total weight.
    x : ndarray of float
        (C, p) weighted sums: about 0, but for what a part left out takes with it.
    squares : ndarray of float
        (C, p) weighted sums of squares; (0, 0) where they are not asked for.
    """

    rows: IntArray
    weight: FloatArray
    x: FloatArray
    squares: FloatArray

    def without(self, other: ClassSums) -> ClassSums:
        """Return the sums without those of some of the rows."""
        return ClassSums(
            self.rows - other.rows,
            self.weight - other.weight,
            self.x - other.x,
            self.squares - other.squares,
        )


@dataclass(eq=False)
class ClassRows:
    """All rows, about the mean of their class.

    To centre within classes first is what keeps the digits: what is subtracted later is of the
    size of the spread within a class, however far the classes lie from 0 and from one another.

    Parameters
    ----------
    Z : ndarray of float
        (n, p) rows less the mean of their class.
    y : ndarray of int
        (n,) class codes.
    w : ndarray of float
        (n,) weights.
    centre : ndarray of float
        (p,) mean of all rows.
    means : ndarray of float
        (C, p) means of the classes about ``centre``; 0 for one without weight.
    largest : ndarray of float
        (p,) largest size of each column.
    with_squares : bool
        Whether sums of squares are taken too.
    """

    Z: FloatArray
    y: np.ndarray
    w: FloatArray
    centre: FloatArray
    means: FloatArray
    largest: FloatArray
    with_squares: bool = True

    @cached_property
    def all(self) -> ClassSums:
        """The sums over all rows."""
        return self.of(slice(None))

    @cached_property
    def is_weighted(self) -> bool:
        """Whether any weight is not 1."""
        return bool((self.w != 1).any())

    def of(self, index: IntArray | slice) -> ClassSums:
        """Return the sums over some rows, each as often as it stands in ``index``."""
        Z, w, y = rows_of(self.Z, index), self.w[index], self.y[index]
        member = members(y, w, len(self.means))
        return ClassSums(
            rows=np.bincount(y[w > 0], minlength=len(self.means)),
            weight=class_weights(y, w, len(self.means)),
            x=member @ Z,
            squares=member @ Z**2 if self.with_squares else np.empty((0, 0)),
        )

    def of_training(self, part: Part) -> ClassSums | None:
        """Return the sums over a training part; None where digits would be lost."""
        if part.left_out is None or len(part.left_out) > len(part.train):
            return self.of(part.train)
        sums = self.all.without(self.of(part.left_out))
        present = sums.rows > 0
        if (sums.weight[present] < LEAST_LEFT * self.all.weight[present]).any():
            return None
        return sums

    @cached_property
    def products(self) -> FloatArray:
        """(p, p) weighted sums of products over all rows."""
        weighted = self.Z * self.w[:, None] if self.is_weighted else self.Z
        return np.asarray(weighted.T @ self.Z)

    def from_centre(self, index: IntArray) -> FloatArray:
        """(n_index, p) rows about the mean of all rows."""
        return rows_of(self.Z, index) + np.take(self.means, self.y[index], axis=0)


def rows_of(Z: FloatArray, index: IntArray | slice) -> FloatArray:
    """Return some rows; ``take`` is the faster for row numbers."""
    return Z[index] if isinstance(index, slice) else np.take(Z, index, axis=0)


def members(y: np.ndarray, w: FloatArray, n_classes: int) -> FloatArray:
    """(C, n) weight of each row in its class, 0 in the others."""
    member = np.zeros((n_classes, len(y)))
    member[y, np.arange(len(y))] = w
    return member


def class_rows(
    X: FloatArray, y: np.ndarray, w: FloatArray, n_classes: int, *, with_squares: bool = True
) -> ClassRows:
    """Return all rows about the means of their classes."""
    centre = weighted_mean(X, w)
    Z = X - centre
    totals = class_weights(y, w, n_classes)
    shares = members(y, w, n_classes)
    shares[totals > 0] /= totals[totals > 0][:, None]
    means = shares @ Z
    Z -= np.take(means, y, axis=0)
    return ClassRows(Z, y, w, centre, means, largest_of(X), with_squares)


def largest_of(X: FloatArray) -> FloatArray:
    """(p,) largest size of each column; many short rows are looked at as fewer long ones."""
    n, p = X.shape
    together = max(1, min(n, 1000 // max(1, p)))
    whole = n // together * together
    long = np.abs(X[:whole]).reshape(-1, together * p).max(axis=0).reshape(together, p)
    return np.asarray(np.concatenate([long, np.abs(X[whole:])]).max(axis=0))
