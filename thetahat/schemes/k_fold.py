"""K-fold cross-validation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import FOLDS, MethodInfo
from thetahat.schemes._partitions import (
    check_enough,
    check_n_folds,
    deal_to_folds,
    yield_partition_splits,
)
from thetahat.schemes.base import Rows, Split
from thetahat.seeds import make_random_stream
from thetahat.values.types import BlockKind


@dataclass(frozen=True, slots=True, kw_only=True)
class KFold:
    """One random partition of the rows into K folds; each fold is the test set once.

    Degenerate cases: K = n is leave-one-out in another order.

    Parameters
    ----------
    n_folds : int
        K, between 2 and the number of rows. The rows are always shuffled; the first ``n % K``
        folds have one row more than the others.
    """

    n_folds: int = 10

    info: ClassVar[MethodInfo] = MethodInfo(
        name="k_fold",
        title="K-fold cross-validation",
        summary=(
            "The rows are divided at random into K folds whose sizes differ by at most one. Each "
            "fold is the test set of a model trained on the others."
        ),
        references=("stone1974", "geras2013"),
        assumptions="Rows are exchangeable: no row is more similar to some rows than to others.",
        errs=(
            "Each model is trained on n (K - 1)/K rows, so the error is overestimated where more "
            "data still help. With rows of one source in both parts of a split, the error for a "
            "new source is underestimated."
        ),
        blocks=FOLDS,
    )
    requires: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        check_n_folds(self.n_folds)

    @property
    def block_kind(self) -> BlockKind:
        """The kind of its blocks: random folds."""
        return BlockKind.RANDOM

    def n_splits(self, rows: Rows) -> int:
        """Return K, the number of folds."""
        check_enough(rows.n, self.n_folds)
        return self.n_folds

    def splits(
        self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None
    ) -> Iterator[Split]:
        """Yield one split for each fold."""
        labels = range(self.n_splits(rows))
        return yield_partition_splits(
            lambda repeat: deal_to_folds(
                make_random_stream(seed, "folds", repeat).permutation(rows.n), self.n_folds
            ),
            labels,
            1,
            start,
            stop,
        )


METHOD = KFold
