"""The feature columns that a learner uses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.tables.columns import describe_other_cells
from thetahat.tables.sparse import SparseColumns
from thetahat.values.types import FloatArray, IntArray

if TYPE_CHECKING:
    from thetahat.tables.sparse import CsrMatrix

Columns = Sequence[FloatArray] | FloatArray
"""(p,) columns of (n,) values; a (p, n) array is one."""

FeatureColumns = tuple[np.ndarray, ...] | FloatArray
"""(p,) columns of numbers or texts, or a (p, n) array, of either order, if all are numbers."""

MAX_DENSE_CELLS: Final = 50_000_000
"""Largest number of cells of a sparse matrix that is made dense: 400 megabytes."""


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """A table of named columns, with groups of sparse columns over the same rows."""

    names: tuple[str, ...]
    """Column names, in order."""
    columns: FeatureColumns
    """(n,) each: float64 for numbers (NaN where missing), object for strings (None where missing).
    If all are numbers they may be the rows of one (p, n) array, which is faster for many."""
    row_numbers: IntArray | None = None
    """(n,) numbers of the rows in the whole data, for messages. None if the table has all rows of
    the data in order."""
    wide: tuple[SparseColumns, ...] = ()
    """Groups of sparse numeric columns, which follow the columns. A group has a name of its own."""

    @property
    def n(self) -> int:
        """Number of rows."""
        if len(self.columns):
            return len(self.columns[0])
        return self.wide[0].n if self.wide else 0

    @property
    def width(self) -> int:
        """Number of columns, including those of the groups."""
        return len(self.columns) + sum(group.width for group in self.wide)

    @property
    def n_stored(self) -> int:
        """Number of values in memory; a sparse group stores only its nonzero values."""
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
        """Return the rows with these indices; they keep their numbers in the whole data.

        The values are copied when they are first read: a learner that ignores the features never
        reads them.
        """
        numbers = index if self.row_numbers is None else self.row_numbers[index]
        return SelectedRows(self, index, numbers)

    def with_columns(
        self,
        names: tuple[str, ...],
        columns: FeatureColumns,
        wide: tuple[SparseColumns, ...] = (),
    ) -> Features:
        """Return a table of other columns over the same rows."""
        return Features(names, columns, self.row_numbers, wide)

    def get_row_number(self, position: int) -> int:
        """Return the number in the whole data of the row at ``position``."""
        return position if self.row_numbers is None else int(self.row_numbers[position])

    def expand(self) -> Features:
        """Return the table with its sparse groups made dense; raises if they are too large."""
        if not self.wide:
            return self
        columns = [column for group in self._check_dense_size() for column in group.dense().T]
        names = [name for group in self.wide for name in group.names]
        return self.with_columns((*self.names, *names), (*self.columns, *columns))

    def matrix(self, *, copy: bool = False) -> FloatArray:
        """Return the (n, p) matrix; raises ``InvalidParameter`` for a non-numeric column.

        Without ``copy`` it may be a view of the columns, which must not be changed.
        """
        self._check_numeric()
        if self.wide:
            return np.hstack(
                [
                    *(c[:, None] for c in self.columns),
                    *(g.dense() for g in self._check_dense_size()),
                ]
            )
        if isinstance(self.columns, np.ndarray):
            return np.array(self.columns.T, order="C", copy=copy or None)
        return np.column_stack(tuple(self.columns)) if self.columns else np.empty((0, 0))

    def complete_matrix(self, *, copy: bool = False) -> FloatArray:
        """Return the (n, p) matrix for a learner that does not accept missing values.

        Raises ``InvalidParameter`` with column and row of the first missing value. Without ``copy``
        it may be a view of the columns, which must not be changed.
        """
        matrix = self.matrix(copy=copy)
        self._check_complete(matrix[:, : len(self.columns)])
        return matrix

    def complete_columns(self) -> Columns:
        """Return (p,) columns as ``complete_matrix`` does, without a copy if none is sparse."""
        if self.wide or not len(self.columns):
            return self.complete_matrix().T
        self._check_numeric()
        with np.errstate(all="ignore"):  # a sum of squares that is finite has no missing value
            if isinstance(self.columns, np.ndarray):
                lines = self.columns if self.columns.flags.c_contiguous else self.columns.T
                is_complete = bool(np.isfinite(np.vecdot(lines, lines)).all())
            else:
                is_complete = all(math.isfinite(column.dot(column)) for column in self.columns)
        if not is_complete:
            self._check_complete(np.column_stack(tuple(self.columns)))
        return self.columns

    def sparse_matrix(self) -> CsrMatrix:
        """Return the (n, p) sparse matrix of all columns; raises for a missing value."""
        from scipy.sparse import csr_array, hstack  # noqa: PLC0415 - few features are sparse

        self._check_numeric()
        if not len(self.columns) and len(self.wide) == 1:
            return self.wide[0].matrix
        parts = [group.matrix for group in self.wide]
        if len(self.columns):
            dense = np.column_stack(tuple(self.columns))
            self._check_complete(dense)
            parts.insert(0, csr_array(dense))
        return csr_array(hstack(parts, format="csr"))

    def _check_numeric(self) -> None:
        if isinstance(self.columns, np.ndarray):
            return
        for name, column in zip(self.names, self.columns, strict=True):
            if column.dtype.kind != "f":
                advice = describe_other_cells(column, self.get_row_number) or (
                    " Add a step for it (one_hot, or TfidfVectorizer for texts) or leave it out."
                )
                raise InvalidParameter(
                    f"Column {name!r} is not numeric.{advice}",
                    loc=("columns", "features", name),
                )

    def _check_complete(self, matrix: FloatArray) -> None:
        missing = np.isnan(matrix)
        if missing.any():
            position, column = (int(i) for i in np.argwhere(missing)[0])
            row, name = self.get_row_number(position), self.names[column]
            raise InvalidParameter(
                f"Column {name!r} has no value in row {row}, and this learner does not accept "
                "missing values. Put an impute step first in prepare, or leave the column out.",
                loc=("columns", "features", name, row),
            )

    def _check_dense_size(self) -> tuple[SparseColumns, ...]:
        """Return the sparse groups; raises if they would be too large as dense columns."""
        width = sum(group.width for group in self.wide)
        if self.n * width > MAX_DENSE_CELLS:
            raise UnsupportedCombination(
                f"{self.n} rows x {width} sparse columns would be {self.n * width} cells as a "
                f"dense table. At most {MAX_DENSE_CELLS} are allowed. Choose a learner that "
                "accepts sparse columns, such as multinomial_naive_bayes or LogisticRegression, or "
                "put TruncatedSVD or SelectKBest in prepare.",
                loc=("columns", "features"),
                value=self.n * width,
            )
        return self.wide


class SelectedRows(Features):
    """Some rows of a table, whose values are copied when they are first read.

    Parameters
    ----------
    table : Features
        The table.
    index : ndarray of int
        (n,) positions of the rows.
    row_numbers : ndarray of int
        (n,) their numbers in the whole data.
    """

    __slots__ = ("_columns", "_index", "_table", "_wide")
    _columns: FeatureColumns | None
    _index: IntArray
    _table: Features
    _wide: tuple[SparseColumns, ...] | None

    def __init__(self, table: Features, index: IntArray, row_numbers: IntArray) -> None:
        for field, value in {
            "names": table.names,
            "row_numbers": row_numbers,
            "_table": table,
            "_index": index,
            "_columns": None,
            "_wide": None,
        }.items():
            object.__setattr__(self, field, value)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self._index)

    @property
    def columns(self) -> FeatureColumns:
        """(p,) columns of (n,) values."""
        if self._columns is None:
            columns = self._table.columns
            selected = (
                _select_rows(columns, self._index)
                if isinstance(columns, np.ndarray)
                else tuple(column[self._index] for column in columns)
            )
            object.__setattr__(self, "_columns", selected)
            return selected
        return self._columns

    @property
    def wide(self) -> tuple[SparseColumns, ...]:
        """The rows of the groups of sparse columns."""
        if self._wide is None:
            groups = tuple(group.rows(self._index) for group in self._table.wide)
            object.__setattr__(self, "_wide", groups)
            return groups
        return self._wide


def _select_rows(columns: FloatArray, index: IntArray) -> FloatArray:
    """Return the (p, m) values of some rows, in the order of memory of all columns."""
    if columns.flags.c_contiguous:
        return np.take(columns, index, axis=1)
    return np.take(columns.T, index, axis=0).T
