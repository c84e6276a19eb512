from __future__ import annotations

import pytest

from tests.thetahat.schemes.some_rows import drawn
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.schemes.base import Rows
from thetahat.schemes.k_fold import KFold
from thetahat.schemes.repeated_k_fold import RepeatedKFold


# By hand: 7 = 3 + 2 + 2, twice.
def test_by_hand_two_repeats_of_three_folds() -> None:
    splits = list(RepeatedKFold(n_folds=3, n_repeats=2).splits(Rows(n=7), 4))

    assert [(s.repeat, s.block, len(s.test)) for s in splits] == [
        (0, 0, 3),
        (0, 1, 2),
        (0, 2, 2),
        (1, 0, 3),
        (1, 1, 2),
        (1, 2, 2),
    ]


def test_property_repeats_are_different_partitions() -> None:
    splits = list(RepeatedKFold(n_folds=2, n_repeats=20).splits(Rows(n=20), 4))

    assert len({tuple(split.test) for split in splits if split.block == 0}) == 20


def test_property_more_repeats_keep_those_there_were() -> None:
    few = RepeatedKFold(n_folds=4, n_repeats=2).splits(Rows(n=20), 9)
    many = RepeatedKFold(n_folds=4, n_repeats=5).splits(Rows(n=20), 9)

    assert [s.test.tolist() for s in few] == [s.test.tolist() for s in many][:8]


def test_invalid_number_of_repeats() -> None:
    with pytest.raises(InvalidParameter, match="n_repeats must be at least 1, and is 0"):
        RepeatedKFold(n_repeats=0)


def test_invalid_more_folds_than_rows() -> None:
    with pytest.raises(InsufficientData, match="10 folds need as many rows"):
        RepeatedKFold().splits(Rows(n=9), 1)


def test_limit_one_repeat_is_k_fold() -> None:
    once = RepeatedKFold(n_folds=4, n_repeats=1)

    assert drawn(once, Rows(n=22), 5) == drawn(KFold(n_folds=4), Rows(n=22), 5)


def test_calibrated_two_rows_share_a_fold_independently_in_each_repeat() -> None:
    """In 3 folds of 2 rows, two rows meet in a repeat with probability 1/5, in both with 1/25."""
    reps, both = 4000, 0
    for seed in range(reps):
        met = [False, False]
        for split in RepeatedKFold(n_folds=3, n_repeats=2).splits(Rows(n=6), seed):
            met[split.repeat] |= {0, 1} <= set(split.test.tolist())
        both += all(met)

    error = (1 / 25 * 24 / 25 / reps) ** 0.5
    assert abs(both / reps - 1 / 25) < 4 * error  # a fair draw fails for 1 seed in 16 000


@pytest.mark.outside("scikit-learn RepeatedKFold, run here")
@pytest.mark.parametrize(("n", "n_folds"), [(7, 3), (20, 5), (23, 4)])
def test_against_sklearn_sizes_of_folds(n: int, n_folds: int) -> None:
    from sklearn.model_selection import RepeatedKFold as Theirs

    ours = RepeatedKFold(n_folds=n_folds, n_repeats=3).splits(Rows(n=n), 1)

    theirs = Theirs(n_splits=n_folds, n_repeats=3, random_state=1).split(range(n))
    assert [len(split.test) for split in ours] == [len(test) for _, test in theirs]
