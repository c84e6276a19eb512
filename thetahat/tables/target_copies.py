"""Features that equal the target, but for a scale or for the names of its values."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from thetahat.cautions import FEATURE_EQUALS_TARGET, Caution
from thetahat.tables.data import REGRESSION, Data
from thetahat.tables.sparse import SparseColumns
from thetahat.values.types import FloatArray, IntArray

_EXACT = 1e-12
"""How far the size of a correlation may be from 1 by rounding."""
_LINEAR = "is a linear function of"
_ONE_TO_ONE = "has one value for each value of"


def find_target_copies(data: Data) -> Iterator[Caution]:
    """Yield a caution for each feature that is a copy of the target.

    A copy equals the target, is a linear function of it, or has one value for each value or class
    of it. Rows in which the feature has no value are left out.
    """
    target, codes = data.y.astype(np.float64), _number_values(data)
    largest = FEATURE_EQUALS_TARGET.threshold / max(1, data.features.width)
    for name, column in zip(data.features.names, data.features.columns, strict=True):
        if column.dtype.kind == "f":
            present = ~np.isnan(column)
        else:
            present = np.array([value is not None for value in column])
        if present.all():
            relation = _compare(column, target, codes, data.task, largest)
        else:
            relation = _compare(
                column[present], target[present], codes[present], data.task, largest
            )
        if relation:
            yield FEATURE_EQUALS_TARGET(name=name, relation=relation, n=int(present.sum()))
    for group in data.features.wide:
        if _find_chance(codes, are_named=False) < largest:
            for name in _list_correlated(group, target):
                yield FEATURE_EQUALS_TARGET(name=name, relation=_LINEAR, n=data.n)


def _number_values(data: Data) -> IntArray:
    """Return the (n,) codes of the target's values."""
    if data.task != REGRESSION:
        return data.y
    codes: IntArray = np.unique(data.y, return_inverse=True)[1]
    return codes


def _compare(
    column: np.ndarray, target: FloatArray, codes: IntArray, task: str, largest: float
) -> str:
    """Return how a complete column repeats the target; empty if it does not.

    Parameters
    ----------
    largest : float
        The largest probability by which it may do so by chance.
    """
    if column.dtype.kind == "f" and task == REGRESSION and _is_linear(column, target):
        if _find_chance(codes, are_named=False) >= largest:
            return ""
        return "equals" if np.array_equal(column, target) else _LINEAR
    if _is_renamed(column, codes) and _find_chance(codes, are_named=True) < largest:
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


def _find_chance(codes: IntArray, *, are_named: bool) -> float:
    """Return the probability that values in a random order agree with the target.

    Parameters
    ----------
    are_named : bool
        Whether any naming of the target's values counts, and not only the two directions of a line.
    """
    counts = np.bincount(codes)
    counts = counts[counts > 0].tolist()
    orders = math.lgamma(len(codes) + 1) - sum(math.lgamma(n + 1) for n in counts)
    namings = math.lgamma(len(counts) + 1) if are_named else math.log(2)
    return math.exp(min(0.0, namings - orders))


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
