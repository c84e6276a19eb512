from __future__ import annotations

import time
import tracemalloc
from itertools import islice

import pytest

from thetahat.errors import InsufficientData
from thetahat.schemes.base import Rows
from thetahat.schemes.k_fold import KFold
from thetahat.schemes.leave_one_out import LeaveOneOut


# By hand: each of three rows is left out once.
def test_by_hand_three_rows() -> None:
    splits = list(LeaveOneOut().splits(Rows(n=3), 0))

    assert [split.test.tolist() for split in splits] == [[0], [1], [2]]
    assert [split.train.tolist() for split in splits] == [[1, 2], [0, 2], [0, 1]]
    assert [split.label for split in splits] == [0, 1, 2]


def test_limit_memory_is_that_of_one_pair() -> None:
    n = 100_000
    splits = LeaveOneOut().splits(Rows(n=n), 0)
    next(splits)  # what is common to all pairs is there now
    tracemalloc.start()
    try:
        for split in islice(splits, 50):
            assert len(split.train) == n - 1
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 4 * 8 * n  # two pairs' row numbers and a mask, not fifty


def test_limit_last_pairs_do_not_wait_for_the_first() -> None:
    begun = time.process_time()
    splits = list(LeaveOneOut().splits(Rows(n=100_000), 0, start=99_998))

    assert [split.label for split in splits] == [99_998, 99_999]
    assert time.process_time() - begun < 1  # all pairs take several seconds


def test_invalid_one_row() -> None:
    with pytest.raises(InsufficientData, match="two rows at least, and the data have 1"):
        LeaveOneOut().n_splits(Rows(n=1))


def test_limit_it_is_k_fold_with_a_fold_a_row() -> None:
    ours = {(tuple(s.train), tuple(s.test)) for s in LeaveOneOut().splits(Rows(n=7), 0)}

    folds = KFold(n_folds=7).splits(Rows(n=7), 0)
    assert ours == {(tuple(s.train), tuple(s.test)) for s in folds}


@pytest.mark.outside("scikit-learn LeaveOneOut, run here")
def test_against_sklearn_leave_one_out() -> None:
    from sklearn.model_selection import LeaveOneOut as Theirs

    ours = [(s.train.tolist(), s.test.tolist()) for s in LeaveOneOut().splits(Rows(n=9), 0)]

    theirs = Theirs().split(range(9))
    assert ours == [(train.tolist(), test.tolist()) for train, test in theirs]
