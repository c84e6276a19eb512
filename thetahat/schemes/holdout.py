"""One random test set."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.registry import HOLDOUT, MethodInfo
from thetahat.schemes._partitions import check_two_rows, rows_but
from thetahat.schemes.base import Rows, Split
from thetahat.seeds import stream
from thetahat.types import BlockKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdout:
    r"""The rows are split once, at random, into a training and a test part.

    .. math:: n_2 = \lceil \mu n - 10^{-9} \rceil

    kept between 1 and n - 1; the small number undoes the rounding of products such as 0.07 x 100.

    Parameters
    ----------
    test_size : float or int
        :math:`\mu`, the share of the rows to test on, in (0, 1); or a whole number from 1 to
        n - 1, which is their count.

    Assumptions: rows are exchangeable.

    Source: arlot2010 (hold-out).
    """

    test_size: float | int = 0.25

    info: ClassVar[MethodInfo] = MethodInfo(
        name="holdout",
        title="Split sample",
        summary=(
            "One random test set and one model, trained on the rest; the mean speaks of that "
            "model, not of the learner."
        ),
        formula=r"n_2 = \lceil \mu n - 10^{-9} \rceil",
        references=("arlot2010",),
        assumptions="Rows are exchangeable.",
        errs=(
            "No variance over training sets is seen; the model has learnt from n - n_2 rows, so "
            "the error of one trained on all rows is overestimated."
        ),
        blocks=HOLDOUT,
    )
    requires: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        size = self.test_size
        if not (0 < size < 1 or (math.isfinite(size) and size >= 1 and size == int(size))):
            raise InvalidParameter(
                "test_size must be a share between 0 and 1 or a whole number of rows from 1, and "
                f"is {size}",
                loc=("test_size",),
                value=size,
            )

    @property
    def block_kind(self) -> BlockKind:
        """Holdout."""
        return BlockKind.HOLDOUT

    def n_splits(self, rows: Rows) -> int:
        """One."""
        self._n_test(rows.n)
        return 1

    def splits(
        self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None
    ) -> Iterator[Split]:
        """Yield the one pair."""
        n_test = self._n_test(rows.n)
        wanted = range(1)[start:stop]
        return (self._split(rows.n, n_test, seed, repeat) for repeat in wanted)

    def _n_test(self, n: int) -> int:
        check_two_rows(n)
        if self.test_size < 1:
            return min(max(math.ceil(self.test_size * n - 1e-9), 1), n - 1)
        if self.test_size > n - 1:
            raise InsufficientData(
                f"test_size {int(self.test_size)} leaves no row of {n} to learn from",
                loc=("test_size",),
                value=self.test_size,
            )
        return int(self.test_size)

    @staticmethod
    def _split(n: int, n_test: int, seed: int, repeat: int) -> Split:
        test = np.sort(stream(seed, "folds", repeat).permutation(n)[:n_test])
        return Split(repeat, 0, 0, rows_but(test, n), test)


METHOD = Holdout
