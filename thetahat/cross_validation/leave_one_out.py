"""Splits that leave out one row each: predictions and losses of a block of rows at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.cross_validation.learner_cautions import Gathering, Told
from thetahat.learners.base import OrdinaryFit, OverSplits
from thetahat.losses.base import Loss, Predictions
from thetahat.schemes.base import AllButTest, Split
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray, IntArray

_ROWS: Final = 1024
"""Most rows of a block; blocks begin at its multiples, whichever splits are asked for."""
_CELLS: Final = 131_072
"""Rows of a block times learners, where these are many: of about a megabyte each."""
_WRITTEN_CELLS: Final = 65_536
"""The same where errors are written: of half a megabyte each."""
_FEWEST: Final = 32

Each = Callable[[IntArray], tuple[Predictions, np.ndarray]]
"""From (n,) rows to what L learners say of each when it alone is left out, and (L, n) or (n,)
whether that may be used."""


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """What writes the errors of L learners of values; ``PathErrors.errors_left_out``."""

    write: Callable[[slice, FloatArray], np.ndarray]


def each_of(shared: object) -> Each | Written | None:
    """Return what a learner says of rows left out alone, if it can say that at once."""
    write = getattr(shared, "errors_left_out", None)
    if write is not None:
        return Written(write)
    each: Each | None = getattr(shared, "each_left_out", None)
    return each


class OneLeftOut:
    """What L learners say of each row when it alone is left out, and what that costs.

    Thousands of splits of one row each would otherwise be thousands of calls for one number. The
    block that a row is in depends on its number alone, so the numbers of a split do too.
    """

    def __init__(
        self,
        each: Each | Written,
        data: Data,
        loss: Loss,
        *,
        n_learners: int = 1,
        keep: bool = True,
    ) -> None:
        self.each, self.data, self.loss = each, data, loss
        self.n_learners, self.keep = n_learners, keep
        cells = _WRITTEN_CELLS if isinstance(each, Written) else _CELLS
        self.size = max(_FEWEST, min(_ROWS, cells // n_learners))
        self.number = -1
        self.block: Told | None = None

    def of(self, rows: range) -> Told:
        """Return what is told of a stretch of rows that is not empty."""
        first, last = rows[0] // self.size, rows[-1] // self.size
        if first == last:
            return self._part(first, rows)
        found = Gathering(self.n_learners, len(rows), keep=self.keep)
        for number in range(first, last + 1):
            in_block = self._rows_of(number)
            if in_block[0] in rows and in_block[-1] in rows:
                self._add_to(found, in_block)
            else:
                found.append(self._part(number, rows))
        return found.told()

    def _rows_of(self, number: int) -> range:
        first = number * self.size
        return range(first, min(first + self.size, self.data.n))

    def _part(self, number: int, rows: range) -> Told:
        """Return what is told of those rows that are in a block."""
        in_block = self._rows_of(number)
        if self.block is None or number != self.number:
            found = Gathering(self.n_learners, len(in_block), keep=self.keep)
            self._add_to(found, in_block)
            self.number, self.block = number, found.told()
        first = in_block[0]
        cut = slice(max(rows[0] - first, 0), min(rows[-1] + 1 - first, self.size))
        return self.block.of_rows(cut)

    def _add_to(self, found: Gathering, rows: range) -> None:
        some = slice(rows.start, rows.stop)
        if isinstance(self.each, Written):
            errors, y = np.empty((self.n_learners, len(rows))), self.data.y[some]
            with np.errstate(all="ignore"):
                found.add_errors(errors, self.each.write(some, errors), y, self.loss)
            return
        every = np.arange(rows.start, rows.stop)
        with np.errstate(all="ignore"):
            said, fits = self.each(every)
            found.add(said, fits.reshape(-1, len(rows)), self.data.y[every], self.loss)


def one_left_out(
    shared: OverSplits | OrdinaryFit, data: Data, loss: Loss, *, keep: bool
) -> OneLeftOut | None:
    """Return what one learner says of each row that is left out, if it can say that at once."""
    each = each_of(shared)
    return None if each is None else OneLeftOut(each, data, loss, keep=keep)


def leaves_one_out(split: Split, n: int) -> bool:
    """Whether the test part is one row of n, and the training part all others, once each."""
    if isinstance(split, AllButTest) and split.n == n:
        return len(split.test) == 1
    if len(split.test) != 1 or len(split.train) != n - 1 or split.n_train != n - 1:
        return False
    return n * (n - 1) // 2 - int(split.train.sum()) == int(split.test[0])
