"""One random test set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import HOLDOUT, MethodInfo
from thetahat.schemes._sizes import check_test_size, drawn_split, n_test_of
from thetahat.schemes.base import Rows, Split
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
        check_test_size(self.test_size)

    @property
    def block_kind(self) -> BlockKind:
        """Holdout."""
        return BlockKind.HOLDOUT

    def n_splits(self, rows: Rows) -> int:
        """One."""
        n_test_of(self.test_size, rows.n)
        return 1

    def splits(
        self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None
    ) -> Iterator[Split]:
        """Yield the one pair."""
        n_test = n_test_of(self.test_size, rows.n)
        return (drawn_split(rows.n, n_test, seed, draw) for draw in range(1)[start:stop])


METHOD = Holdout
