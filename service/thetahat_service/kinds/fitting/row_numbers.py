"""Cautions about features that are row numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from thetahat.cautions import ROW_NUMBERS, Caution
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray, IntArray
from thetahat_service.kinds.fields.learners import FitsRequest

FEWEST_ROWS = 3
"""Fewest rows in which numbers that increase by one are taken for row numbers."""


def find_row_number_cautions(request: FitsRequest, data: Data) -> Iterator[Caution]:
    """Yield a caution for each feature that is a row number, if the request names no features.

    pandas and R write row numbers as the first column. In rows ordered by class or source, such a
    column reveals the class or the source.
    """
    if request.columns is None or request.columns.features is not None:
        return
    steps = np.diff(data.row_numbers(np.arange(data.n)))
    for name, column in zip(data.features.names, data.features.columns, strict=True):
        if column.dtype.kind == "f" and _is_row_number(column, steps):
            yield ROW_NUMBERS(name=name)


def _is_row_number(column: FloatArray, steps: IntArray) -> bool:
    """Return whether the values are whole numbers that increase by one from row to row.

    Parameters
    ----------
    column : ndarray of float
        (n,) values.
    steps : ndarray of int
        (n - 1,) increases of the number of the row: 1, or more after a row that was left out.
    """
    if len(column) < FEWEST_ROWS or column[1] - column[0] != steps[0]:
        return False
    return bool((np.diff(column) == steps).all() and column[0] == np.round(column[0]))
