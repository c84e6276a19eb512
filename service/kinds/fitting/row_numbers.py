"""Cautions about the data of a request, whatever is fitted to them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from service.kinds.fields.learners import FitsRequest
from thetahat.cautions import ROW_NUMBERS, Caution
from thetahat.tables.data import Data
from thetahat.tables.labels import find_similar_labels
from thetahat.values.types import FloatArray

FEWEST_ROWS = 3
"""Fewest rows in which numbers that increase by one are taken for row numbers."""


def data_cautions(request: FitsRequest, data: Data) -> Iterator[Caution]:
    """Yield the cautions about classes, sources and features.

    Classes or sources may look like one that is spelt in two ways. Where the request does not
    name the features, a column that numbers the rows may be among them, such as the first one
    that pandas and R write: in rows ordered by class or source it gives the answer away.
    """
    yield from find_similar_labels(data.classes, "classes")
    yield from find_similar_labels(() if data.source is None else data.source, "sources")
    if request.columns is None or request.columns.features is not None:
        return
    for name, column in zip(data.features.names, data.features.columns, strict=True):
        if column.dtype.kind == "f" and _numbers_rows(column):
            yield ROW_NUMBERS(name=name)


def _numbers_rows(column: FloatArray) -> bool:
    """Return whether the values are whole numbers that increase by one from row to row."""
    if len(column) < FEWEST_ROWS or column[1] - column[0] != 1:
        return False
    return bool((np.diff(column) == 1).all() and column[0] == np.round(column[0]))
