"""Rows centred on their class means, and their sums over any training part."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Protocol, Self, TypeVar

import numpy as np

from thetahat.learners._training_parts import class_weights
from thetahat.learners.base import Part
from thetahat.learners.fast.ordinary_fits import MIN_SHARE_LEFT
from thetahat.learners.fast.ridge.rows import bound_rounding
from thetahat.tables.features import Columns
from thetahat.values.batch_sizes import NUMBERS_IN_1_MB
from thetahat.values.types import FloatArray, IntArray

S = TypeVar("S", bound="ClassSums")
S_co = TypeVar("S_co", bound="ClassSums", covariant=True)


@dataclass(frozen=True, slots=True, eq=False)
class ClassSums:
    """Sums over the rows of each class, centred on some point."""

    rows: IntArray
    """(C,) number of rows that have weight."""
    weight: FloatArray
    """(C,) total weight."""
    x: FloatArray
    """(C, p) weighted sums."""
    squares: FloatArray
    """(C, p) weighted sums of squares."""

    def without(self, other: Self) -> Self:
        """Return these sums minus the sums over some of the rows."""
        parts = (getattr(self, f.name) - getattr(other, f.name) for f in fields(self))
        return type(self)(*parts)


class SummedRows(Protocol[S_co]):
    """Rows that can be summed."""

    @property
    def all(self) -> S_co:
        """The sums over all rows."""
        ...

    def of(self, index: IntArray) -> S_co:
        """Return the sums over the rows in ``index``; a repeated row counts each time."""
        ...


def sum_training_part(rows: SummedRows[S], part: Part) -> S | None:
    """Return the sums over a training part; None if the subtraction would lose digits."""
    if part.left_out is None or len(part.left_out) > part.n_train:
        return rows.of(part.train)
    sums = rows.all.without(rows.of(part.left_out))
    present = sums.rows > 0
    if (sums.weight[present] < MIN_SHARE_LEFT * rows.all.weight[present]).any():
        return None
    return sums


@dataclass(eq=False)
class ClassRows:
    """All rows, centred on the mean of their class.

    Centring within classes first keeps the digits: the sums that are subtracted later have the size
    of the spread within a class, however far the classes are from 0 and from one another.
    """

    both: FloatArray
    """(p + C, n) rows less the mean of their class, and 1 in the row of their class, 0
    elsewhere."""
    y: np.ndarray
    """(n,) class codes."""
    w: FloatArray
    """(n,) weights."""
    centre: FloatArray
    """(p,) mean of all rows."""
    means: FloatArray
    """(C, p) means of the classes about ``centre``; 0 for one without weight."""
    squares: FloatArray
    """(p,) weighted sums of squares of the rows less the means of their classes."""
    is_weighted: bool
    """Whether any weight is not 1."""

    @property
    def Z(self) -> FloatArray:  # noqa: N802 - as the rows are called
        """(p, n) rows minus the mean of their class."""
        some: FloatArray = self.both[: self.both.shape[0] - len(self.means)]
        return some

    @cached_property
    def all(self) -> ClassSums:
        """The sums over all rows."""
        return self.of(slice(None))

    @cached_property
    def weight(self) -> FloatArray:
        """(C,) total weight of each class."""
        return class_weights(self.y, self.w, len(self.means))

    @cached_property
    def n_with_weight(self) -> IntArray:
        """(C,) number of rows that have weight."""
        y = self.y[self.w > 0] if self.is_weighted else self.y
        return np.bincount(y, minlength=len(self.means))

    def of(self, index: IntArray | slice) -> ClassSums:
        """Return the sums over the rows in ``index``; a repeated row counts each time."""
        Z, w, y = select_rows(self.Z, index), self.w[index], self.y[index]
        member = members(y, w, len(self.means))
        return ClassSums(
            rows=np.bincount(y[w > 0], minlength=len(self.means)),
            weight=class_weights(y, w, len(self.means)),
            x=member @ Z.T,
            squares=member @ np.square(Z).T,
        )

    def sum_products(self, rows: FloatArray, w: FloatArray) -> FloatArray:
        """Return the (q, q) weighted sums of the products of (q, m) rows."""
        return np.asarray((rows * w if self.is_weighted else rows) @ rows.T)

    def centre_on_class(self, index: IntArray) -> FloatArray:
        """Return (n_index, p) rows with these indices, minus the mean of their class."""
        return select_rows(self.Z, index).T

    def from_centre(self, index: IntArray) -> FloatArray:
        """Return (n_index, p) rows minus the mean of all rows."""
        return (select_rows(self.Z, index) + np.take(self.means.T, self.y[index], axis=1)).T


def select_rows(Z: FloatArray, index: IntArray | slice) -> FloatArray:
    """Return (p, n_index) selected rows; ``take`` is faster for row numbers."""
    selected: FloatArray = Z[:, index] if isinstance(index, slice) else np.take(Z, index, axis=1)
    return selected


def members(y: np.ndarray, w: FloatArray, n_classes: int) -> FloatArray:
    """Return (C, n) weights of the rows in their class, 0 elsewhere."""
    return np.asarray(np.equal.outer(np.arange(n_classes), y) * w)


def class_rows(
    columns: Columns,
    y: np.ndarray,
    w: FloatArray,
    n_classes: int,
) -> ClassRows:
    """Return all rows centred on their class means.

    A column that is constant within the classes, but for rounding, is exactly 0. ``columns`` are
    (p,) arrays of (n,).
    """
    p, n = len(columns), len(y)
    both, means = np.empty((p + n_classes, n)), np.zeros((n_classes, p))
    centre, lengths = np.empty(p), np.empty(p)
    member: FloatArray = both[p:]
    np.equal.outer(np.arange(n_classes), y, out=member, casting="unsafe")
    is_weighted = bool((w != 1).any())
    weighted = member * w if is_weighted else member
    totals = weighted.sum(axis=1)
    share = 1 / np.where(totals > 0, totals, 1.0)  # a class without weight has mean 0
    step = max(1, NUMBERS_IN_1_MB // n)
    for first in range(0, p, step):
        some = slice(first, min(first + step, p))
        part = both[some]
        part[:] = columns[some]
        mean = part @ w / totals.sum()
        part -= mean[:, None]
        of_class = part @ weighted.T * share
        part -= np.take(of_class, y, axis=1)
        centre[some], means[:, some] = mean, of_class.T
        largest = np.abs(of_class + mean[:, None]).max(axis=1)
        squares = np.square(part) @ w if is_weighted else np.vecdot(part, part)
        constant = np.sqrt(squares) <= bound_rounding(largest, w)
        if constant.any():
            part[constant] = 0.0
            squares[constant] = 0.0
        lengths[some] = squares
    return ClassRows(both, y, w, centre, means, lengths, is_weighted)
