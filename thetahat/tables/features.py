"""The columns a learner may look at."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.tables.sparse import SparseColumns
from thetahat.values.types import FloatArray, IntArray

if TYPE_CHECKING:
    from thetahat.tables.sparse import CsrMatrix

Columns = Sequence[FloatArray] | FloatArray
"""(p,) columns of (n,) values; a (p, n) array is one."""

MOST_DENSE: Final = 50_000_000
"""The most cells of a sparse matrix whose zeros are written out: 400 megabytes."""


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """A table of named columns over the same rows, and groups of sparse columns beside them.

    Parameters
    ----------
    names : tuple of str
        Column names, in order.
    columns : tuple of ndarray
        (n,) each: float64 for numbers (NaN where missing), object for strings (None where missing).
    row_numbers : ndarray of int or None
        (n,) what the rows are called in messages: their numbers in the whole data. None where the
        rows are all of the data, in order.
    wide : tuple of SparseColumns
        Groups of numeric columns, each with a name that no column has; they follow the columns.
    """

    names: tuple[str, ...]
    columns: tuple[np.ndarray, ...]
    row_numbers: IntArray | None = None
    wide: tuple[SparseColumns, ...] = ()

    @property
    def n(self) -> int:
        """Number of rows."""
        if self.columns:
            return len(self.columns[0])
        return self.wide[0].n if self.wide else 0

    @property
    def width(self) -> int:
        """Number of columns, those of the groups among them."""
        return len(self.columns) + sum(group.width for group in self.wide)

    @property
    def n_stored(self) -> int:
        """Number of values in memory: of a sparse group, those that are not zero."""
        return len(self.columns) * self.n + sum(int(group.matrix.nnz) for group in self.wide)

    def column_name(self, position: int) -> str:
        """Return the name of the column at ``position`` of the matrix."""
        position -= len(self.names)
        if position < 0:
            return self.names[position]
        for group in self.wide:
            if position < group.width:
                return group.names[position]
            position -= group.width
        raise IndexError(position)

    def rows(self, index: IntArray) -> Features:
        """Return the chosen rows; they keep the numbers they have in the whole data."""
        numbers = index if self.row_numbers is None else self.row_numbers[index]
        columns = tuple(column[index] for column in self.columns)
        return Features(self.names, columns, numbers, tuple(g.rows(index) for g in self.wide))

    def with_columns(
        self,
        names: tuple[str, ...],
        columns: tuple[np.ndarray, ...],
        wide: tuple[SparseColumns, ...] = (),
    ) -> Features:
        """Return other columns over the same rows, as a preparation step makes them."""
        return Features(names, columns, self.row_numbers, wide)

    def row_number(self, position: int) -> int:
        """Return the number that the row at ``position`` has in the whole data."""
        return position if self.row_numbers is None else int(self.row_numbers[position])

    def expanded(self) -> Features:
        """Return the groups as plain columns; refused where that would take too much memory."""
        if not self.wide:
            return self
        columns = [column for group in self._small() for column in group.dense().T]
        names = [name for group in self.wide for name in group.names]
        return self.with_columns((*self.names, *names), (*self.columns, *columns))

    def matrix(self) -> FloatArray:
        """(n, p) of all columns; ``InvalidParameter`` names a column that is not numeric."""
        self._check_numeric()
        if self.wide:
            return np.hstack(
                [*(c[:, None] for c in self.columns), *(g.dense() for g in self._small())]
            )
        return np.column_stack(self.columns) if self.columns else np.empty((0, 0))

    def complete_matrix(self) -> FloatArray:
        """(n, p) of all columns, for a learner that cannot take missing values.

        ``InvalidParameter`` names the column and the row of the first missing value.
        """
        matrix = self.matrix()
        self._check_complete(matrix[:, : len(self.columns)])
        return matrix

    def complete_columns(self) -> Columns:
        """(p,) columns of (n,) values, as ``complete_matrix``; no copy where none is wide."""
        if self.wide or not self.columns:
            return self.complete_matrix().T
        self._check_numeric()
        with np.errstate(all="ignore"):  # a sum of squares that is finite has no missing value
            is_complete = all(math.isfinite(column.dot(column)) for column in self.columns)
        if not is_complete:
            self._check_complete(np.column_stack(self.columns))
        return self.columns

    def sparse_matrix(self) -> CsrMatrix:
        """(n, p) of all columns, complete, with only those values stored that are not zero."""
        from scipy.sparse import csr_array, hstack  # noqa: PLC0415 - few features are sparse

        self._check_numeric()
        if not self.columns and len(self.wide) == 1:
            return self.wide[0].matrix
        parts = [group.matrix for group in self.wide]
        if self.columns:
            dense = np.column_stack(self.columns)
            self._check_complete(dense)
            parts.insert(0, csr_array(dense))
        return csr_array(hstack(parts, format="csr"))

    def _check_numeric(self) -> None:
        for name, column in zip(self.names, self.columns, strict=True):
            if column.dtype.kind != "f":
                raise InvalidParameter(
                    f"column {name!r} is not numeric; prepare it (one_hot; TfidfVectorizer for "
                    "texts) or leave it out",
                    loc=("columns", "features", name),
                )

    def _check_complete(self, matrix: FloatArray) -> None:
        missing = np.isnan(matrix)
        if missing.any():
            position, column = (int(i) for i in np.argwhere(missing)[0])
            row, name = self.row_number(position), self.names[column]
            raise InvalidParameter(
                f"column {name!r} has no value in row {row}, and this learner needs one; put a "
                "step that imputes first in prepare, or leave the column out",
                loc=("columns", "features", name, row),
            )

    def _small(self) -> tuple[SparseColumns, ...]:
        """Return the groups, refused where their zeros written out would fill the memory."""
        width = sum(group.width for group in self.wide)
        if self.n * width > MOST_DENSE:
            raise UnsupportedCombination(
                f"{self.n} rows x {width} sparse columns are {self.n * width} cells with their "
                f"zeros written out, and at most {MOST_DENSE} are; choose a learner that takes "
                "sparse columns, such as multinomial_naive_bayes or LogisticRegression, or put "
                "TruncatedSVD or SelectKBest in prepare",
                loc=("columns", "features"),
                value=self.n * width,
            )
        return self.wide
