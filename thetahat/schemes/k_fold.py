"""K-fold cross-validation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import FOLDS, MethodInfo
from thetahat.schemes._partitions import check_enough, check_number
from thetahat.schemes._strata import yield_random_folds
from thetahat.schemes.base import Rows, Scheme, Split


@dataclass(frozen=True, slots=True, kw_only=True)
class KFold(Scheme):
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

    def __post_init__(self) -> None:
        check_number("n_folds", self.n_folds, 2)

    def n_splits(self, rows: Rows) -> int:
        """Return K, the number of folds."""
        check_enough(rows.n, self.n_folds)
        return self.n_folds

    def splits(
        self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None
    ) -> Iterator[Split]:
        """Yield one split for each fold."""
        n_folds = self.n_splits(rows)
        return yield_random_folds(rows, None, n_folds, 1, seed, start, stop)


METHOD = KFold
