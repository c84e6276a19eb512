"""Repeated K-fold cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import FOLDS, MethodInfo
from thetahat.schemes._strata import RandomFolds


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedKFold(RandomFolds):
    """Several independent random partitions into K folds.

    Degenerate cases: one repeat is ``k_fold``.

    Parameters
    ----------
    n_folds : int
        K, between 2 and the number of rows.
    n_repeats : int
        Number of partitions, at least 1. The first is the partition of ``k_fold`` with the same
        seed, so more repeats add to what there was.
    """

    n_folds: int = 10
    n_repeats: int = 10

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Repeated K-fold cross-validation",
        summary=(
            "K-fold cross-validation over several independent partitions of the same rows. The "
            "variance that comes from the partition falls with their number."
        ),
        references=("burman1989", "kohavi1995"),
        assumptions="Rows are exchangeable, as for k_fold.",
        errs=(
            "The same as k_fold. The splits of different repeats are strongly dependent, so a "
            "test that treats them as independent finds differences that do not exist."
        ),
        blocks=FOLDS,
    )
