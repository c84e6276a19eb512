"""Repeated stratified K-fold cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import FOLDS, MethodInfo
from thetahat.schemes._strata import RandomFolds
from thetahat.schemes.repeated_k_fold import RepeatedKFold


@dataclass(frozen=True, slots=True, kw_only=True)
class StratifiedRepeatedKFold(RandomFolds):
    """Several random partitions into K folds, in each of which every class is spread evenly.

    Deviations: a class with fewer rows than folds is refused, as in ``stratified_k_fold``.

    Degenerate cases: one repeat is ``stratified_k_fold``.

    Parameters
    ----------
    n_folds : int
        K, between 2 and the size of the smallest class.
    n_repeats : int
        Number of partitions, at least 1. The first is the partition of ``stratified_k_fold``
        with the same seed, so more repeats add to what there was.
    """

    n_folds: int = 10
    n_repeats: int = 10

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Repeated stratified K-fold cross-validation",
        summary=(
            "Stratified K-fold cross-validation over several independent partitions of the same "
            "rows. The variance that comes from the partition falls with their number."
        ),
        references=("burman1989", "kohavi1995"),
        assumptions=(
            "Rows are exchangeable within their class, and the class shares are those of the "
            "population."
        ),
        errs=(
            "The same as repeated_k_fold. Folds are more alike than random ones, so estimates "
            "from the spread between folds can be too small."
        ),
        blocks=FOLDS,
    )
    requires: ClassVar[frozenset[str]] = frozenset({"y"})
    unstratified: ClassVar[str | None] = RepeatedKFold.info.name
