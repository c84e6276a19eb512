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
    """

    names: tuple[str, ...]
    columns: tuple[np.ndarray, ...]

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.columns[0]) if self.columns else 0

    def rows(self, index: IntArray) -> Features:
        """Return the chosen rows."""
        return Features(self.names, tuple(column[index] for column in self.columns))

    def matrix(self) -> FloatArray:
        """(n, p) of all columns; ``InvalidParameter`` names a column that is not numeric."""
        for name, column in zip(self.names, self.columns, strict=True):
            if column.dtype.kind != "f":
                raise InvalidParameter(
                    f"column {name!r} is not numeric; prepare it (one_hot) or leave it out",
                    loc=("columns", "features", name),
                )
        return np.column_stack(self.columns) if self.columns else np.empty((0, 0))
