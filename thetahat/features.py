"""The columns a learner may look at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """A table of named columns over the same rows.

    Parameters
    ----------
    names : tuple of str
        Column names, in order.
    columns : tuple of ndarray
        (n,) each: float64 for numbers (NaN where missing), object for strings (None where missing).
    row_numbers : ndarray of int or None
        (n,) what the rows are called in messages: their numbers in the whole data. None where the
        rows are all of the data, in order.
    """

    names: tuple[str, ...]
    columns: tuple[np.ndarray, ...]
    row_numbers: IntArray | None = None

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.columns[0]) if self.columns else 0

    def rows(self, index: IntArray) -> Features:
        """Return the chosen rows; they keep the numbers they have in the whole data."""
        numbers = index if self.row_numbers is None else self.row_numbers[index]
        return Features(self.names, tuple(column[index] for column in self.columns), numbers)

    def with_columns(self, names: tuple[str, ...], columns: tuple[np.ndarray, ...]) -> Features:
        """Return other columns over the same rows, as a preparation step makes them."""
        return Features(names, columns, self.row_numbers)

    def row_number(self, position: int) -> int:
        """Return the number that the row at ``position`` has in the whole data."""
        return position if self.row_numbers is None else int(self.row_numbers[position])

    def matrix(self) -> FloatArray:
        """(n, p) of all columns; ``InvalidParameter`` names a column that is not numeric."""
        for name, column in zip(self.names, self.columns, strict=True):
            if column.dtype.kind != "f":
                raise InvalidParameter(
                    f"column {name!r} is not numeric; prepare it (one_hot) or leave it out",
                    loc=("columns", "features", name),
                )
        return np.column_stack(self.columns) if self.columns else np.empty((0, 0))

    def complete_matrix(self) -> FloatArray:
        """(n, p) of all columns, for a learner that cannot take missing values.

        ``InvalidParameter`` names the column and the row of the first missing value.
        """
        matrix = self.matrix()
        missing = np.isnan(matrix)
        if missing.any():
            position, column = (int(i) for i in np.argwhere(missing)[0])
            row, name = self.row_number(position), self.names[column]
            raise InvalidParameter(
                f"column {name!r} has no value in row {row}, and this learner needs one; put a "
                "step that imputes first in prepare, or leave the column out",
                loc=("columns", "features", name, row),
            )
        return matrix
