"""Splits that leave out one row each: predictions and losses of a block of rows at once."""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.data import Data
from thetahat.errors import EvaluationError
from thetahat.learners.base import OverSplits, Plain
from thetahat.losses.base import Loss, Predictions
from thetahat.schemes.base import Split
from thetahat.types import FloatArray

_ROWS: Final = 256
"""Rows of a block; blocks begin at its multiples, whichever splits are asked for."""


class OneLeftOut:
    """What a learner says of each row when it alone is left out, and what that costs.

    Thousands of splits of one row each would otherwise be thousands of calls for one number. The
    block that a row is in depends on its number alone, so the numbers of a split do too.
    """

    def __init__(self, shared: OverSplits | Plain, data: Data, loss: Loss) -> None:
        self.each = None if isinstance(shared, Plain) else getattr(shared, "each_left_out", None)
        self.data, self.loss = data, loss
        self.block = -1
        self.fits = np.zeros(0, dtype=np.bool_)
        self.said = Predictions(np.zeros(0))
        self.losses: FloatArray = np.zeros(0)

    def of(self, split: Split) -> tuple[Predictions, FloatArray] | None:
        """Return what was said of the row that is left out, and its loss.

        None where the split leaves out more than the one row, or where the learner, or the loss,
        has to look at this row by itself.
        """
        if self.each is None or not leaves_one_out(split, self.data.n):
            return None
        row = int(split.test[0])
        if row // _ROWS != self.block:
            self.block = row // _ROWS
            self._fill()
        at = row - self.block * _ROWS
        if not self.fits[at]:
            return None
        one = slice(at, at + 1)
        said = self.said
        return (
            Predictions(
                said.output[one],
                None if said.probabilities is None else said.probabilities[one],
                None if said.scores is None else said.scores[one],
            ),
            self.losses[one],
        )

    def _fill(self) -> None:
        assert self.each is not None  # noqa: S101 - asked for by the caller
        first = self.block * _ROWS
        rows = np.arange(first, min(first + _ROWS, self.data.n))
        with np.errstate(all="ignore"):
            self.said, fits = self.each(rows)
        for part in (self.said.output, self.said.probabilities, self.said.scores):
            if part is not None:
                fits = fits & np.isfinite(part.reshape(len(rows), -1)).all(axis=1)
        self.losses, self.fits = np.zeros(len(rows)), np.zeros(len(rows), dtype=np.bool_)
        try:
            losses = self.loss.losses(self.data.y[rows], self.said)
        except EvaluationError:
            return  # row by row it is said which one it is about
        self.losses, self.fits = losses, fits & np.isfinite(losses)


def leaves_one_out(split: Split, n: int) -> bool:
    """Whether the test part is one row of n, and the training part all others, once each."""
    if len(split.test) != 1 or len(split.train) != n - 1 or split.n_train != n - 1:
        return False
    return n * (n - 1) // 2 - int(split.train.sum()) == int(split.test[0])
