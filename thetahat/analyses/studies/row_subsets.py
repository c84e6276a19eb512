"""Some rows of the data, and splits that keep equal rows on one side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from thetahat.errors import InsufficientData
from thetahat.schemes.base import Split
from thetahat.tables.data import Data
from thetahat.values.types import IntArray


def select_rows(data: Data, rows: IntArray) -> Data:
    """Return some rows of the data, a row as often as it is named; the classes stay."""

    def of(column: np.ndarray | None) -> np.ndarray | None:
        return None if column is None else column[rows]

    return replace(
        data,
        features=data.features.rows(rows),
        y=data.y[rows],
        source=of(data.source),
        fold=of(data.fold),
        cluster=of(data.cluster),
        time=of(data.time),
        weight=of(data.weight),
    )


def separate_copies(splits: Iterable[Split], group: IntArray) -> Iterator[Split]:
    """Yield the splits, with no row to learn from that is of a group in the test part.

    ``group`` is (n,) codes from 0. A learner never sees a copy of what it is tested on; training
    parts are smaller by the copies.
    """
    tested = np.zeros(int(group.max()) + 1, dtype=np.bool_)
    for split in splits:
        tested[:] = False
        tested[group[split.test]] = True
        kept = split.train[~tested[group[split.train]]]
        if len(kept) == 0:
            raise InsufficientData(
                f"every row to learn from is a copy of a test row in repeat {split.repeat}, "
                f"block {split.block}"
            )
        yield Split(split.repeat, split.block, split.label, kept, split.test)
