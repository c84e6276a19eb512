from __future__ import annotations

import numpy as np
import pytest

from tests.thetahat.schemes.some_rows import drawn, rows_with
from thetahat.errors import InsufficientData, InvalidParameter, UnsupportedCombination
from thetahat.schemes.base import Rows
from thetahat.schemes.stratified_k_fold import StratifiedKFold
from thetahat.schemes.stratified_repeated_k_fold import StratifiedRepeatedKFold


# By hand: 4 + 8 rows in 4 folds are 1 + 2 in each.
def test_by_hand_each_fold_has_the_shares_of_the_whole() -> None:
    y = np.array([0] * 4 + [1] * 8)

    splits = list(StratifiedRepeatedKFold(n_folds=4, n_repeats=3).splits(Rows(n=12, y=y), 2))

    assert [(s.repeat, s.block) for s in splits] == [divmod(i, 4) for i in range(12)]
    assert all(np.bincount(y[s.test]).tolist() == [1, 2] for s in splits)


def test_against_sklearn_repeated_stratified_k_fold() -> None:
    from sklearn.model_selection import RepeatedStratifiedKFold

    y = np.random.default_rng(7).integers(0, 3, 61)
    ours = StratifiedRepeatedKFold(n_folds=5, n_repeats=2).splits(Rows(n=61, y=y), 1)
    theirs = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0).split(y, y)

    for split, (_, test) in zip(ours, theirs, strict=True):
        counts = np.bincount(y[split.test], minlength=3) - np.bincount(y[test], minlength=3)
        assert np.abs(counts).max() <= 1


def test_limit_one_repeat_is_stratified_k_fold() -> None:
    once = StratifiedRepeatedKFold(n_folds=3, n_repeats=1)

    assert drawn(once, rows_with(20), 5) == drawn(StratifiedKFold(n_folds=3), rows_with(20), 5)


def test_property_repeats_are_different_partitions() -> None:
    splits = StratifiedRepeatedKFold(n_folds=2, n_repeats=20).splits(rows_with(20), 4)

    assert len({tuple(split.test) for split in splits if split.block == 0}) == 20


def test_invalid_repeats_and_classes() -> None:
    with pytest.raises(InvalidParameter, match="n_repeats must be at least 1, and is 0"):
        StratifiedRepeatedKFold(n_repeats=0)
    with pytest.raises(InsufficientData, match="'pos' has 1 rows, fewer than 2 folds") as caught:
        StratifiedRepeatedKFold(n_folds=2).n_splits(
            Rows(n=4, y=np.array([0, 0, 0, 1]), classes=("neg", "pos"))
        )
    assert caught.value.loc == ("n_folds",)
    with pytest.raises(UnsupportedCombination, match=r"\. Use repeated_k_fold"):
        StratifiedRepeatedKFold().n_splits(Rows(n=4, y=np.zeros(4)))
