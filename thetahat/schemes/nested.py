"""Nested cross-validation: internal folds inside the training parts of external ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import FOLDS, MethodInfo
from thetahat.schemes._partitions import check_number
from thetahat.schemes.base import Rows, Scheme, Splits
from thetahat.schemes.k_fold import KFold


@dataclass(frozen=True, slots=True, kw_only=True)
class Nested(Scheme):
    """External folds estimate the error of what internal folds select.

    In a ``selection`` each external training part is itself divided into folds: the candidate with
    the smallest internal error is trained on the whole part and tested on the external fold. The
    choice is made anew in each external fold, so the error of choosing and training is estimated.
    Where nothing is selected the internal folds are not used, and it is ``k_fold``. Other pairs of
    schemes are named in ``internal`` and ``external`` of the selection. stone1974 calls it double
    cross-validation.

    Parameters
    ----------
    n_folds : int
        External folds, between 2 and the number of rows; those of ``k_fold`` with the same seed.
    n_internal_folds : int
        Folds of each external training part, at least 2.
    """

    n_folds: int = 5
    n_internal_folds: int = 5

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Nested cross-validation",
        summary=(
            "In a selection, folds inside each external training part choose the candidate. The "
            "external fold, which is not used in the choice, estimates its error."
        ),
        references=("stone1974", "varma2006"),
        assumptions="Rows are exchangeable: no row is more similar to some rows than to others.",
        errs=(
            "Each choice and each model use n (K - 1)/K rows, so the error of choosing and "
            "training on all rows is overestimated. Unlike the internal error of the chosen "
            "candidate, it is not too small because it is the smallest of many."
        ),
        blocks=FOLDS,
    )

    def __post_init__(self) -> None:
        for name in ("n_folds", "n_internal_folds"):
            check_number(name, getattr(self, name), 2)

    def n_splits(self, rows: Rows) -> int:
        """Return the number of external folds."""
        return KFold(n_folds=self.n_folds).n_splits(rows)

    def splits(self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None) -> Splits:
        """Yield one split for each external fold."""
        return KFold(n_folds=self.n_folds).splits(rows, seed, start=start, stop=stop)

    def internal(self, rows: Rows) -> Scheme:  # noqa: ARG002 - other schemes look at the rows
        """Return the folds of an external training part."""
        return KFold(n_folds=self.n_internal_folds)
