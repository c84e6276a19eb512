"""Stratified K-fold cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import FOLDS, MethodInfo
from thetahat.schemes._strata import RandomFolds
from thetahat.schemes.k_fold import KFold


@dataclass(frozen=True, slots=True, kw_only=True)
class StratifiedKFold(RandomFolds):
    """A random partition into K folds in which every class is spread evenly.

    The rows are shuffled, sorted by class, and dealt out one by one: the numbers of rows of a class
    differ by at most one between folds, and so do the sizes of the folds. The variance estimators
    of ``k_fold`` are used unchanged, though the balance makes folds more alike than random ones.

    Deviations: a class with fewer rows than folds is refused; scikit-learn warns, and some folds
    then lack the class.

    Parameters
    ----------
    n_folds : int
        K, between 2 and the size of the smallest class.
    """

    n_folds: int = 10

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Stratified K-fold cross-validation",
        summary=(
            "K-fold cross-validation in which each fold has the class shares of the whole, to "
            "within one row per class."
        ),
        references=("kohavi1995",),
        assumptions=(
            "Rows are exchangeable within their class, and the class shares are those of the "
            "population."
        ),
        errs=(
            "The same as k_fold. Folds are more alike than random ones, so estimates from the "
            "spread between folds can be too small."
        ),
        blocks=FOLDS,
    )
    requires: ClassVar[frozenset[str]] = frozenset({"y"})
    unstratified: ClassVar[str | None] = KFold.info.name
