"""Rows of a table to learn from that stand in it twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from thetahat.cautions import ROWS_COPIED, Caution
from thetahat.tables.data import Data
from thetahat.values.sorted_rows import find_repeated_rows
from thetahat.values.types import FloatArray

MOST_FEATURES: Final = 50
"""Features of a table in which copies are looked for; a wider table is not looked through."""


def find_copied_rows(data: Data) -> Iterator[Caution]:
    """Yield a caution if rows have the features and the target of an earlier row."""
    if not 0 < len(data.features.columns) == data.features.width <= MOST_FEATURES:
        return
    columns = [_encode(column) for column in (data.y, *data.features.columns)]
    labels = None if data.cluster is None else np.unique(data.cluster, return_inverse=True)[1]
    found = find_repeated_rows(columns, labels)
    if found is not None:
        row, earlier = data.row_numbers(np.array([found.row, found.earlier]))
        yield ROWS_COPIED(n=found.n, n_rows=data.n, row=int(row), earlier=int(earlier))


def _encode(column: np.ndarray) -> FloatArray:
    """Return numbers with one for those that are missing, and texts by their codes."""
    if column.dtype.kind == "O":
        texts = np.array([str(value) for value in column])
        return np.unique(texts, return_inverse=True)[1].astype(np.float64)
    values = column.astype(np.float64)
    known = values[~np.isnan(values)]
    return np.where(np.isnan(values), known.min() - 1 if len(known) else 0.0, values)
