from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.schemes.base import Rows
from thetahat.schemes.holdout import Holdout


def n_test(size: float, n: int) -> int:
    (split,) = Holdout(test_size=size).splits(Rows(n=n), 3)
    assert (split.repeat, split.block, split.label) == (0, 0, 0)
    assert len(split.train) == n - len(split.test)
    return len(split.test)


# By hand: the share rounded up, with a row left on each side.
@pytest.mark.parametrize(
    ("size", "n", "wanted"),
    [
        (0.5, 10, 5),
        (1 / 3, 10, 4),  # rounded up
        (0.07, 100, 7),  # 0.07 x 100 is 7.000000000000001 in double precision
        (0.001, 10, 1),  # at least one
        (0.999, 10, 9),  # one to learn from
        (3, 10, 3),
        (3.0, 10, 3),  # JSON does not tell 3 from 3.0
        (1, 10, 1),
        (9, 10, 9),
    ],
)
def test_by_hand_number_of_test_rows(size: float, n: int, wanted: int) -> None:
    assert n_test(size, n) == wanted


@pytest.mark.outside("scikit-learn train_test_split, run here")
@given(st.floats(0.05, 0.95), st.integers(20, 200))
def test_against_sklearn_test_sizes(size: float, n: int) -> None:
    from sklearn.model_selection import train_test_split

    assume(abs(size * n - round(size * n)) > 1e-6)  # there they do not undo rounding
    assert n_test(size, n) == len(train_test_split(np.arange(n), test_size=size)[1])


def test_calibrated_every_row_is_tested_as_often() -> None:
    reps, n = 4000, 8
    tested = np.zeros(n)
    for seed in range(reps):
        for split in Holdout(test_size=0.25).splits(Rows(n=n), seed):
            tested[split.test] += 1

    # 8 rows within 4 standard errors: true for all but 1 seed in 2000; these are fixed.
    assert np.abs(tested / reps - 0.25).max() < 4 * math.sqrt(0.25 * 0.75 / reps)


@pytest.mark.parametrize("size", [0.0, -0.5, 1.5, math.nan, math.inf, -3])
def test_invalid_size(size: float) -> None:
    with pytest.raises(InvalidParameter, match="test_size must be a share") as caught:
        Holdout(test_size=size)

    assert caught.value.loc == ("test_size",)


def test_invalid_nothing_left_to_learn_from() -> None:
    with pytest.raises(InsufficientData, match="test_size 10 leaves no row of 10"):
        Holdout(test_size=10).n_splits(Rows(n=10))


@pytest.mark.outside("scikit-learn GroupShuffleSplit, run here: as many clusters are tested")
@pytest.mark.parametrize(("size", "n_clusters"), [(0.25, 7), (0.5, 8), (0.7, 5), (0.01, 9), (3, 7)])
def test_against_sklearn_whole_clusters(size: float, n_clusters: int) -> None:
    from sklearn.model_selection import GroupShuffleSplit

    cluster = np.repeat(np.arange(n_clusters), 1 + np.arange(n_clusters) % 3)
    (split,) = Holdout(test_size=size, whole_clusters=True).splits(of_clusters(cluster), 4)
    tested, trained_on = set(cluster[split.test]), set(cluster[split.train])

    assert not tested & trained_on
    assert tested | trained_on == set(range(n_clusters))
    assert np.array_equal(
        np.sort(np.concatenate([split.train, split.test])), np.arange(len(cluster))
    )
    theirs = GroupShuffleSplit(n_splits=1, test_size=size, random_state=0)
    assert len(tested) == len(set(cluster[next(theirs.split(cluster, groups=cluster))[1]]))


def of_clusters(cluster: np.ndarray) -> Rows:
    return Rows(n=len(cluster), cluster=cluster)


def test_exact_clusters_of_one_row_are_rows() -> None:
    n = 23
    shuffled = of_clusters(np.arange(n))
    (whole,) = Holdout(test_size=0.3, whole_clusters=True).splits(shuffled, 5)
    (rows,) = Holdout(test_size=0.3).splits(Rows(n=n), 5)
    assert np.array_equal(whole.test, rows.test)
    assert np.array_equal(whole.train, rows.train)


def test_calibrated_every_cluster_is_tested_as_often() -> None:
    reps, cluster = 2000, np.repeat(np.arange(4), [1, 2, 5, 20])
    tested = np.zeros(4)
    for seed in range(reps):
        for split in Holdout(whole_clusters=True).splits(of_clusters(cluster), seed):
            tested[np.unique(cluster[split.test])] += 1

    # 4 clusters within 4 standard errors, whatever their size; the seeds are fixed.
    assert np.abs(tested / reps - 0.25).max() < 4 * math.sqrt(0.25 * 0.75 / reps)


def test_invalid_clusters() -> None:
    scheme = Holdout(whole_clusters=True)
    with pytest.raises(InvalidParameter, match="'holdout' needs a cluster column") as caught:
        scheme.splits(Rows(n=9), 1)
    assert caught.value.loc == ("columns", "cluster")
    (split,) = Holdout(test_size=0.999, whole_clusters=True).splits(of_clusters(np.arange(3)), 1)
    assert len(split.train) == 1  # one to learn from, as of rows
    with pytest.raises(InsufficientData, match="need two clusters at least"):
        scheme.n_splits(of_clusters(np.zeros(9)))
    with pytest.raises(InsufficientData, match="test_size 4 leaves no cluster of 4"):
        Holdout(test_size=4, whole_clusters=True).n_splits(of_clusters(np.arange(9) % 4))
