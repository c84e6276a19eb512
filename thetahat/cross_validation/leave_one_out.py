"""Predictions and losses of rows that are left out one at a time, computed for blocks of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from thetahat.cross_validation.predicted_rows import PredictedRows, PredictedRowsBuilder
from thetahat.learners.base import ManySplits
from thetahat.losses.base import Loss, Predictions
from thetahat.schemes.base import ComplementSplit, Split
from thetahat.tables.data import Data
from thetahat.values.batch_sizes import NUMBERS_IN_1_MB
from thetahat.values.types import IntArray

_MAX_ROWS: Final = 1024
"""Largest number of rows of a block; blocks start at multiples of their size."""
_MIN_ROWS: Final = 32

LeftOutPredictor = Callable[[IntArray], tuple[Predictions, np.ndarray]]
"""Takes (n,) rows; returns the predictions of L learners for each row when it alone is left out,
and (L, n) or (n,) whether they may be used."""


def get_left_out_predictor(shared: object) -> LeftOutPredictor | None:
    """Return the function that predicts rows left out one at a time, or None if there is none."""
    if isinstance(shared, ManySplits) and shared.leaves_rows_out:
        return shared.each_left_out
    return None


class SingleRowPredictions:
    """Leave-one-out predictions and losses of L learners.

    Leave-one-out splits are computed in blocks, because a call for each row would be slow. The
    block of a row depends on its number alone, so its values do too.
    """

    def __init__(
        self,
        predictor: LeftOutPredictor,
        data: Data,
        loss: Loss,
        *,
        n_learners: int = 1,
        keep: bool = True,
    ) -> None:
        self.predictor, self.data, self.loss = predictor, data, loss
        self.n_learners, self.keep = n_learners, keep
        self.block_size = max(_MIN_ROWS, min(_MAX_ROWS, NUMBERS_IN_1_MB // n_learners))
        self.last_number = -1
        self.last_block: PredictedRows | None = None

    def predict(self, rows: range) -> PredictedRows:
        """Return the values of a range of rows that is not empty."""
        first, last = rows[0] // self.block_size, rows[-1] // self.block_size
        if first == last:
            return self._predict_in_block(first, rows)
        builder = PredictedRowsBuilder(self.n_learners, len(rows), keep=self.keep)
        for number in range(first, last + 1):
            in_block = self._list_rows(number)
            if in_block[0] in rows and in_block[-1] in rows:
                self._append_to(builder, in_block)
            else:
                builder.append(self._predict_in_block(number, rows))
        return builder.build()

    def _list_rows(self, number: int) -> range:
        """Return the rows of a block."""
        first = number * self.block_size
        return range(first, min(first + self.block_size, self.data.n))

    def _predict_in_block(self, number: int, rows: range) -> PredictedRows:
        """Return the values of those of the rows that are in a block; the last block is cached."""
        in_block = self._list_rows(number)
        if self.last_block is None or number != self.last_number:
            builder = PredictedRowsBuilder(self.n_learners, len(in_block), keep=self.keep)
            self._append_to(builder, in_block)
            self.last_number, self.last_block = number, builder.build()
        first = in_block[0]
        start, stop = max(rows[0] - first, 0), min(rows[-1] + 1 - first, self.block_size)
        return self.last_block.select_rows(slice(start, stop))

    def _append_to(self, builder: PredictedRowsBuilder, rows: range) -> None:
        numbers = np.arange(rows.start, rows.stop)
        with np.errstate(all="ignore"):
            predictions, usable = self.predictor(numbers)
            usable = usable.reshape(-1, len(rows))
            builder.append_predictions(predictions, usable, self.data.y[numbers], self.loss)


def is_leave_one_out(split: Split, n: int) -> bool:
    """Return whether the test part is one of n rows, and the training part each other row once."""
    if isinstance(split, ComplementSplit) and split.n == n:
        return len(split.test) == 1
    if len(split.test) != 1 or len(split.train) != n - 1 or split.n_train != n - 1:
        return False
    return n * (n - 1) // 2 - int(split.train.sum()) == int(split.test[0])
