"""Features that equal the target, but for a scale or for the names of its values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from thetahat.cautions import FEATURE_EQUALS_TARGET, Caution
from thetahat.tables.data import REGRESSION, Data
from thetahat.tables.sparse import SparseColumns
from thetahat.values.types import FloatArray, IntArray

_EXACT = 1e-12
"""How far the size of a correlation may be from 1 by rounding."""
_LINEAR = "is a linear function of"
_ONE_TO_ONE = "has one value for each value of"


class TargetCopy(NamedTuple):
    """A column that is a copy of the target."""

    name: str
    relation: str
    """How it is one, as a verb: ``equals``."""
    n: int
    """Rows in which it has values."""


@dataclass(frozen=True, slots=True, eq=False)
class _Target:
    """The target of the rows in which a feature has values."""

    values: FloatArray
    """(n,) numbers, or codes of classes."""
    codes: IntArray
    """(n,) codes of its different values."""
    is_number: bool
    """Whether it is a number, and not a class."""
    chance_of_line: float
    """Probability that a column in a random order is a linear function of it."""
    chance_of_names: float
    """Probability that such a column has one value for each of its values."""


def find_target_copies(data: Data) -> Iterator[Caution]:
    """Yield a caution for each feature that is a copy of the target.

    A copy equals the target, is a linear function of it, or has one value for each value or class
    of it. Rows in which the feature has no value are left out.
    """
    values, codes = data.y.astype(np.float64), _number_values(data)
    is_number = data.task == REGRESSION
    largest = FEATURE_EQUALS_TARGET.threshold / max(1, data.features.width)
    columns = zip(data.features.names, data.features.columns, strict=True)
    for copy in list_copies(columns, values, codes, is_number=is_number, largest=largest):
        yield FEATURE_EQUALS_TARGET(name=copy.name, relation=copy.relation, n=copy.n)
    whole = _build_target(values, codes, is_number=is_number)
    for group in data.features.wide:
        if whole.chance_of_line < largest:
            for name in _list_correlated(group, values):
                yield FEATURE_EQUALS_TARGET(name=name, relation=_LINEAR, n=data.n)


def list_copies(
    columns: Iterable[tuple[str, np.ndarray]],
    values: FloatArray,
    codes: IntArray,
    *,
    is_number: bool,
    largest: float,
) -> Iterator[TargetCopy]:
    """Yield the columns that are copies of the target.

    Parameters
    ----------
    columns : iterable of (str, ndarray)
        Names and (n,) values; those that are missing are NaN or None.
    values, codes : ndarray
        (n,) numbers of the target, or codes of its classes, and codes of its different values.
    is_number : bool
        Whether the target is a number, and not a class.
    largest : float
        The largest probability by which a column may agree by chance.
    """
    whole = _build_target(values, codes, is_number=is_number)
    for name, column in columns:
        if column.dtype.kind == "f":
            present = ~np.isnan(column)
        else:
            present = np.array([value is not None for value in column])
        target, known = whole, column
        if not present.all():
            target = _build_target(values[present], codes[present], is_number=is_number)
            known = column[present]
        relation = _compare(known, target, largest)
        if relation:
            yield TargetCopy(name, relation, len(known))


def _build_target(values: FloatArray, codes: IntArray, *, is_number: bool) -> _Target:
    counts = np.bincount(codes)
    counts = counts[counts > 0]
    sizes, times = np.unique(counts, return_counts=True)
    repeats = zip(sizes.tolist(), times.tolist(), strict=True)
    orders = math.lgamma(len(codes) + 1) - sum(n * math.lgamma(size + 1) for size, n in repeats)
    return _Target(
        values,
        codes,
        is_number,
        chance_of_line=math.exp(min(0.0, math.log(2) - orders)),
        chance_of_names=math.exp(min(0.0, math.lgamma(len(counts) + 1) - orders)),
    )


def _number_values(data: Data) -> IntArray:
    """Return the (n,) codes of the target's values."""
    if data.task != REGRESSION:
        return data.y
    codes: IntArray = np.unique(data.y, return_inverse=True)[1]
    return codes


def _compare(column: np.ndarray, target: _Target, largest: float) -> str:
    """Return how a complete column repeats the target; empty if it does not.

    ``largest`` is the largest probability by which it may do so by chance.
    """
    may_be_line = column.dtype.kind == "f" and target.is_number and target.chance_of_line < largest
    if may_be_line and _is_linear(column, target.values):
        return "equals" if np.array_equal(column, target.values) else _LINEAR
    if target.chance_of_names < largest and _is_renamed(column, target.codes):
        return _ONE_TO_ONE
    return ""


def _is_linear(column: FloatArray, target: FloatArray) -> bool:
    """Return whether the correlation of two columns is 1 or -1."""
    if len(column) < 2:
        return False
    x, y = column - column.mean(), target - target.mean()
    size = math.sqrt(float(x @ x)) * math.sqrt(float(y @ y))
    return size > 0 and abs(float(x @ y)) > (1 - _EXACT) * size


def _is_renamed(column: np.ndarray, codes: IntArray) -> bool:
    """Return whether rows have the same value of a column if they have the same code."""
    present, first, code = np.unique(codes, return_index=True, return_inverse=True)
    names = column[first]
    if len(present) < 2 or len(set(names.tolist())) < len(present):
        return False
    return bool((names[code] == column).all())


def _list_correlated(group: SparseColumns, target: FloatArray) -> list[str]:
    """Return the names of sparse columns that are a linear function of the target."""
    matrix, n = group.matrix, group.n
    y = target - target.mean()
    products: FloatArray = matrix.T @ y
    sums: FloatArray = matrix.sum(axis=0)
    squares: FloatArray = (matrix * matrix).sum(axis=0)
    sizes = np.sqrt(np.maximum(squares - sums**2 / n, 0.0)) * math.sqrt(float(y @ y))
    found = (sizes > 0) & (np.abs(products) > (1 - _EXACT * 1000) * sizes)
    return [group.names[int(place)] for place in np.flatnonzero(found)]
