from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.thetahat.schemes.some_rows import drawn
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.schemes.base import Rows
from thetahat.schemes.k_fold import KFold
from thetahat.schemes.repeated_k_fold import RepeatedKFold


# By hand: 10 = 4 + 3 + 3.
def test_by_hand_sizes_of_ten_rows_in_three_folds() -> None:
    splits = list(KFold(n_folds=3).splits(Rows(n=10), 1))

    assert [len(split.test) for split in splits] == [4, 3, 3]
    assert [len(split.train) for split in splits] == [6, 7, 7]
    assert [split.label for split in splits] == [0, 1, 2]


@pytest.mark.outside("scikit-learn KFold, run here")
@given(st.integers(2, 12), st.integers(0, 60))
def test_against_sklearn_sizes_of_folds(n_folds: int, extra: int) -> None:
    from sklearn.model_selection import KFold as Theirs

    n = n_folds + extra
    ours = [len(split.test) for split in KFold(n_folds=n_folds).splits(Rows(n=n), 0)]

    theirs = Theirs(n_splits=n_folds, shuffle=True, random_state=0).split(np.empty(n))
    assert ours == [len(test) for _, test in theirs]


def test_calibrated_every_pair_of_rows_meets_as_often() -> None:
    """Two rows share one of 3 folds of 4 with probability 3/11."""
    reps, n = 4000, 12
    together = np.zeros((n, n))
    for seed in range(reps):
        for split in KFold(n_folds=3).splits(Rows(n=n), seed):
            together[np.ix_(split.test, split.test)] += 1

    share = together[np.triu_indices(n, 1)] / reps
    error = np.sqrt(3 / 11 * 8 / 11 / reps)
    # 66 pairs: a fair draw passes 4.5 standard errors for all but 1 seed in 2000; these are fixed.
    assert np.abs(share - 3 / 11).max() < 4.5 * error


def test_exact_first_repeat_of_the_repeated_scheme() -> None:
    repeated = RepeatedKFold(n_folds=3, n_repeats=4)
    rows = Rows(n=17)

    assert drawn(KFold(n_folds=3), rows, 8) == drawn(repeated, rows, 8)[:3]


@pytest.mark.parametrize("n_folds", [1, 0, -2])
def test_invalid_number_of_folds(n_folds: int) -> None:
    with pytest.raises(InvalidParameter, match=f"at least 2, and is {n_folds}") as caught:
        KFold(n_folds=n_folds)

    assert caught.value.loc == ("n_folds",)


def test_invalid_more_folds_than_rows() -> None:
    with pytest.raises(InsufficientData, match="11 folds need as many rows, and there are 10"):
        KFold(n_folds=11).n_splits(Rows(n=10))


def test_degenerate_as_many_folds_as_rows() -> None:
    splits = list(KFold(n_folds=5).splits(Rows(n=5), 2))

    assert sorted(int(split.test[0]) for split in splits) == [0, 1, 2, 3, 4]
