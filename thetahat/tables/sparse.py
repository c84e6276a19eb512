"""Columns of numbers that are mostly zero, kept row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.values.types import FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    CsrMatrix = csr_array[np.float64, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Numbered(Sequence[str]):
    """Names that are a prefix and a number: ``X0``, ``X1``, ...; none is kept in memory.

    Parameters
    ----------
    prefix : str
        What they begin with.
    size : int
        How many there are.
    first : int
        The first one's number.
    """

    prefix: str
    size: int
    first: int = 0

    def __len__(self) -> int:
        """How many there are."""
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
    """A group of numeric columns as one compressed matrix.

    Parameters
    ----------
    name : str
        What the group is called among the columns.
    matrix : csr_array
        (n, p) float64; the indices of a row ascend and none is there twice; every value is finite,
        and one that is not stored is zero, not missing.
    names : sequence of str
        (p,) what its columns are called.
    """

    name: str
    matrix: CsrMatrix
    names: Sequence[str]

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.matrix.shape[0])

    @property
    def width(self) -> int:
        """Number of columns."""
        return int(self.matrix.shape[1])

    def rows(self, index: IntArray) -> SparseColumns:
        """Return the chosen rows."""
        return SparseColumns(self.name, self.matrix[index], self.names)

    def dense(self) -> FloatArray:
        """(n, p) with its zeros written out."""
        return np.asarray(self.matrix.toarray(), dtype=np.float64)


def sparse_columns(name: str, matrix: CsrMatrix, names: Sequence[str]) -> SparseColumns:
    """Return a matrix as columns: duplicates summed, in order, without stored zeros.

    ``InvalidParameter`` tells the row and the column of a value that is not finite.
    """
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    unfit = ~np.isfinite(matrix.data)
    if unfit.any():
        at = int(np.argmax(unfit))
        row = int(np.searchsorted(matrix.indptr, at, side="right")) - 1
        column = names[int(matrix.indices[at])]
        raise InvalidParameter(
            f"column {column!r} is {matrix.data[at]} in row {row}; a sparse matrix has no missing "
            "values",
            loc=("features", name, row),
            value=str(matrix.data[at]),
        )
    if not matrix.data.all():
        matrix = matrix.copy()
        matrix.eliminate_zeros()
    return SparseColumns(name, matrix, names)
