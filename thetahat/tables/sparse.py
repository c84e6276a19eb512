"""Columns of numbers that are mostly zero, stored as a compressed sparse row matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.tables.columns import MAX_FEATURE
from thetahat.values.types import FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    CsrMatrix = csr_array[np.float64, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class NumberedNames(Sequence[str]):
    """Names of a prefix and a number, ``X0``, ``X1``, ..., generated on access."""

    prefix: str
    """Beginning of each name."""
    size: int
    """Number of names."""
    first: int = 0
    """Number of the first name."""

    def __len__(self) -> int:
        """Return the number of names."""
        return self.size

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        """Return one name, or the names of a slice."""
        numbers = range(self.first, self.first + self.size)
        if isinstance(at, slice):
            return tuple(f"{self.prefix}{number}" for number in numbers[at])
        return f"{self.prefix}{numbers[at]}"


@dataclass(frozen=True, slots=True, eq=False)
class SparseColumns:
    """A group of numeric columns as one compressed matrix."""

    name: str
    """Name of the group among the columns."""
    matrix: CsrMatrix
    """(n, p) float64. The indices of a row ascend without duplicates, every stored value is finite,
    and a value that is not stored is zero, not missing."""
    names: Sequence[str]
    """(p,) names of its columns."""

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.matrix.shape[0])

    @property
    def width(self) -> int:
        """Number of columns."""
        return int(self.matrix.shape[1])

    def rows(self, index: IntArray) -> SparseColumns:
        """Return the rows with these indices."""
        return SparseColumns(self.name, self.matrix[index], self.names)

    def dense(self) -> FloatArray:
        """Return the (n, p) dense matrix."""
        return np.asarray(self.matrix.toarray(), dtype=np.float64)


def build_sparse_columns(name: str, matrix: CsrMatrix, names: Sequence[str]) -> SparseColumns:
    """Return a matrix as sparse columns: duplicates summed, indices sorted, no stored zeros.

    Raises ``InvalidParameter`` with row and column for a value that is not finite or is too large.
    """
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    unfit = ~(np.abs(matrix.data) <= MAX_FEATURE)
    if unfit.any():
        at = int(np.argmax(unfit))
        row = int(np.searchsorted(matrix.indptr, at, side="right")) - 1
        column = names[int(matrix.indices[at])]
        raise InvalidParameter(
            f"The feature {column!r} is {matrix.data[at]:g} in row {row}; features of a sparse "
            f"matrix must be finite and at most {MAX_FEATURE:g} in size, and none is missing.",
            loc=("features", name, row),
            value=str(matrix.data[at]),
        )
    if not matrix.data.all():
        matrix = matrix.copy()
        matrix.eliminate_zeros()
    return SparseColumns(name, matrix, names)
