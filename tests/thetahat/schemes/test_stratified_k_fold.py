from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thetahat.errors import InsufficientData, InvalidParameter, UnsupportedCombination
from thetahat.schemes.base import Rows
from thetahat.schemes.stratified_k_fold import StratifiedKFold

SIZES = st.lists(st.integers(5, 25), min_size=2, max_size=4)


def rows_of_classes(sizes: list[int], seed: int = 0) -> Rows:
    y = np.repeat(np.arange(len(sizes), dtype=np.intp), sizes)
    return Rows(n=len(y), y=np.random.default_rng(seed).permutation(y))


def counts(rows: Rows, n_folds: int, seed: int) -> np.ndarray:
    """(K, C) members of each class in each fold."""
    assert rows.y is not None
    n_classes = int(rows.y.max()) + 1
    splits = StratifiedKFold(n_folds=n_folds).splits(rows, seed)
    return np.array([np.bincount(rows.y[s.test], minlength=n_classes) for s in splits])


# By hand: 10/5 = 2 and 5/5 = 1 in every fold.
def test_by_hand_ten_and_five_rows_in_five_folds() -> None:
    assert counts(rows_of_classes([10, 5]), 5, 1).tolist() == [[2, 1]] * 5


@given(SIZES, st.integers(2, 5), st.integers(0, 2**32))
def test_property_class_counts_and_sizes_differ_by_one(
    sizes: list[int], n_folds: int, seed: int
) -> None:
    class_counts = counts(rows_of_classes(sizes, seed), n_folds, seed)

    assert (np.ptp(class_counts, axis=0) <= 1).all()
    assert np.ptp(class_counts.sum(axis=1)) <= 1
    assert class_counts.sum(axis=0).tolist() == sizes


@pytest.mark.outside("scikit-learn StratifiedKFold, run here")
@given(SIZES, st.integers(2, 5))
def test_against_sklearn_class_counts(sizes: list[int], n_folds: int) -> None:
    """The same deal; theirs takes classes by first appearance, so they stand in order here."""
    from sklearn.model_selection import StratifiedKFold as Theirs

    y = np.repeat(np.arange(len(sizes)), sizes)

    ours = counts(Rows(n=len(y), y=y), n_folds, 0)

    folds = Theirs(n_splits=n_folds, shuffle=True, random_state=0).split(np.empty(len(y)), y)
    assert ours.tolist() == [
        np.bincount(y[test], minlength=len(sizes)).tolist() for _, test in folds
    ]


def test_invalid_small_class_is_named() -> None:
    rows = Rows(n=12, y=np.array([0] * 9 + [1] * 3), classes=("ham", "spam"))

    with pytest.raises(InsufficientData, match="Class 'spam' has 3 rows, fewer than 4 folds"):
        StratifiedKFold(n_folds=4).n_splits(rows)


def test_invalid_small_class_without_a_name() -> None:
    with pytest.raises(InsufficientData, match="Class 0 has 2 rows, fewer than 3 folds"):
        StratifiedKFold(n_folds=3).n_splits(rows_of_classes([2, 9]))


def test_invalid_target_that_is_a_number() -> None:
    with pytest.raises(UnsupportedCombination, match=r"the target is a number\. Use k_fold"):
        StratifiedKFold().n_splits(Rows(n=20, y=np.linspace(0, 1, 20)))


def test_invalid_number_of_folds() -> None:
    with pytest.raises(InvalidParameter, match="n_folds must be at least 2"):
        StratifiedKFold(n_folds=1)


def test_degenerate_code_without_rows_is_no_small_class() -> None:
    assert counts(Rows(n=8, y=np.array([0, 2] * 4)), 4, 0).tolist() == [[1, 0, 1]] * 4


def test_invalid_one_class() -> None:
    rows = Rows(n=9, y=np.ones(9, dtype=np.intp), classes=("neg", "pos"))

    with pytest.raises(InsufficientData, match="Every row is of class 'pos'") as caught:
        StratifiedKFold(n_folds=3).n_splits(rows)

    assert caught.value.loc == ("columns", "target")


def test_calibrated_two_rows_of_a_class_meet_as_often() -> None:
    """Two of a class's 6 rows share one of 3 folds with probability 1/5, whatever the others."""
    reps, y = 4000, np.array([0] * 6 + [1] * 3, dtype=np.intp)
    together = np.zeros((6, 6))
    for seed in range(reps):
        for split in StratifiedKFold(n_folds=3).splits(Rows(n=9, y=y), seed):
            mine = split.test[split.test < 6]
            together[np.ix_(mine, mine)] += 1

    share = together[np.triu_indices(6, 1)] / reps
    # 15 pairs: a fair draw passes 4.5 standard errors for all but 1 seed in 9000
    assert np.abs(share - 1 / 5).max() < 4.5 * (1 / 5 * 4 / 5 / reps) ** 0.5
