"""K-fold cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import FOLDS, MethodInfo
from thetahat.schemes._strata import RandomFolds


@dataclass(frozen=True, slots=True, kw_only=True)
class KFold(RandomFolds):
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
