"""What is doubtful about the data of a request, whatever is fitted to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thetahat.cautions import ROW_NUMBERS, Caution
from thetahat.tables.data import Data
from thetahat.tables.labels import find_similar_labels
from thetahat.values.types import FloatArray

if TYPE_CHECKING:
    from service.kinds.fields.learners import FitsRequest


def cautions_of_data(given: FitsRequest, data: Data) -> tuple[Caution, ...]:
    """Return the doubts about classes, sources and features.

    Classes or sources that look like one spelt in two ways; and, where the request left the
    features out, a column among them that numbers the rows, such as the one that pandas and R
    write first: of rows in order of class or of source it tells the answer.
    """
    sources = () if data.source is None else data.source
    of_labels = (
        *find_similar_labels(data.classes, "classes"),
        *find_similar_labels(sources, "sources"),
    )
    if given.columns is None or given.columns.features is not None:
        return of_labels
    pairs = zip(data.features.names, data.features.columns, strict=True)
    return (
        *of_labels,
        *(
            ROW_NUMBERS(name=name)
            for name, column in pairs
            if column.dtype.kind == "f" and _numbers_rows(column)
        ),
    )


def _numbers_rows(column: FloatArray) -> bool:
    """Tell whether whole numbers go up by one from row to row; of three rows or more."""
    if len(column) < 3 or column[1] - column[0] != 1:
        return False
    return bool((np.diff(column) == 1).all() and column[0] == np.round(column[0]))
