"""Splits that leave out one row each: predictions and losses of a block of rows at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from thetahat.data import Data
from thetahat.learners.base import OverSplits, Plain
from thetahat.losses.base import Loss, Predictions
from thetahat.resampling.told import Told, told_in_turn, told_of
from thetahat.schemes.base import Split
from thetahat.types import IntArray

_ROWS: Final = 1024
"""Rows of a block; blocks begin at its multiples, whichever splits are asked for."""

Each = Callable[[IntArray], tuple[Predictions, np.ndarray]]
"""From (n,) rows to what L learners say of each when it alone is left out, and (L, n) or (n,)
whether that may be used."""


def each_of(shared: object) -> Each | None:
    """Return what a learner says of rows left out alone, if it can say that at once."""
    each: Each | None = getattr(shared, "each_left_out", None)
    return each


class OneLeftOut:
    """What L learners say of each row when it alone is left out, and what that costs.

    Thousands of splits of one row each would otherwise be thousands of calls for one number. The
    block that a row is in depends on its number alone, so the numbers of a split do too.
    """

    def __init__(self, each: Each, data: Data, loss: Loss) -> None:
        self.each, self.data, self.loss = each, data, loss
        self.number = -1
        self.block: Told | None = None

    def of(self, rows: range) -> Told:
        """Return what is told of a stretch of rows that is not empty."""
        parts = []
        for number in range(rows[0] // _ROWS, rows[-1] // _ROWS + 1):
            first = number * _ROWS
            cut = slice(max(rows[0] - first, 0), min(rows[-1] + 1 - first, _ROWS))
            parts.append(self._of_block(number).of_rows(cut))
        return told_in_turn(parts)

    def _of_block(self, number: int) -> Told:
        if self.block is None or number != self.number:
            first = number * _ROWS
            rows = np.arange(first, min(first + _ROWS, self.data.n))
            with np.errstate(all="ignore"):
                said, fits = self.each(rows)
            fits = fits.reshape(-1, len(rows))
            self.number, self.block = number, told_of(said, fits, self.data.y[rows], self.loss)
        return self.block


def one_left_out(shared: OverSplits | Plain, data: Data, loss: Loss) -> OneLeftOut | None:
    """Return what one learner says of each row that is left out, if it can say that at once."""
    each = each_of(shared)
    return None if each is None else OneLeftOut(each, data, loss)


def leaves_one_out(split: Split, n: int) -> bool:
    """Whether the test part is one row of n, and the training part all others, once each."""
    if len(split.test) != 1 or len(split.train) != n - 1 or split.n_train != n - 1:
        return False
    return n * (n - 1) // 2 - int(split.train.sum()) == int(split.test[0])
