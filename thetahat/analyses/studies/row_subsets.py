"""Subsets of the rows of a data set, and splits that keep copies of a row on one side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from thetahat.errors import InsufficientData
from thetahat.schemes.base import Split
from thetahat.tables.data import Data
from thetahat.values.types import IntArray


def select_rows(data: Data, rows: IntArray) -> Data:
    """Return the rows at these positions, each as often as it is listed, with all classes."""

    def select(column: np.ndarray | None) -> np.ndarray | None:
        return None if column is None else column[rows]

    return replace(
        data,
        features=data.features.rows(rows),
        left_out=None,
        y=data.y[rows],
        source=select(data.source),
        fold=select(data.fold),
        cluster=select(data.cluster),
        time=select(data.time),
        weight=select(data.weight),
    )


def separate_copies(splits: Iterable[Split], group: IntArray) -> Iterator[Split]:
    """Yield the splits without the training rows that have a copy in the test part.

    ``group`` is (n,) codes from 0; rows with the same code are copies of each other.
    """
    is_tested = np.zeros(int(group.max()) + 1, dtype=np.bool_)
    for split in splits:
        is_tested[:] = False
        is_tested[group[split.test]] = True
        kept = split.train[~is_tested[group[split.train]]]
        if len(kept) == 0:
            raise InsufficientData(
                f"Repeat {split.repeat}, block {split.block} has no training rows left: each is a "
                "copy of a test row. Draw more rows, or use more folds."
            )
        yield Split(split.repeat, split.block, split.label, kept, split.test)
