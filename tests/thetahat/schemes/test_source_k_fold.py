from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.thetahat.schemes.some_rows import labelled
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.schemes.base import Rows
from thetahat.schemes.leave_one_source_out import LeaveOneSourceOut
from thetahat.schemes.source_k_fold import SourceKFold


def test_by_hand_largest_source_first() -> None:
    # sizes 4, 3, 2, 2: 4 opens a fold, 3 the other, one 2 joins the 3, the last 2 joins the 4
    rows = labelled(source=list("aaaabbbccdd"))

    splits = list(SourceKFold(n_folds=2).splits(rows, 0))

    assert [split.label for split in splits] == ["fold 0", "fold 1"]
    assert [len(split.test) for split in splits] == [6, 5]
    assert splits[0].test[:4].tolist() == [0, 1, 2, 3]
    assert splits[1].test[:3].tolist() == [4, 5, 6]


@given(
    st.lists(st.integers(1, 20), min_size=4, max_size=15),
    st.integers(2, 4),
    st.integers(0, 2**32),
)
def test_property_sources_stay_whole_and_folds_are_even(
    sizes: list[int], n_folds: int, seed: int
) -> None:
    source = np.repeat(np.arange(len(sizes)), sizes)
    splits = list(SourceKFold(n_folds=n_folds).splits(Rows(n=len(source), source=source), seed))

    for split in splits:
        assert not set(source[split.test]) & set(source[split.train])
    in_fold = [len(split.test) for split in splits]
    assert max(in_fold) - min(in_fold) <= max(sizes)  # what greedy filling guarantees
    assert min(in_fold) > 0


@pytest.mark.outside("scikit-learn GroupKFold, run here")
def test_against_sklearn_sizes_of_group_folds() -> None:
    from sklearn.model_selection import GroupKFold

    sizes = [31, 17, 16, 9, 8, 5, 3]  # all different, so both fill greedily the same way
    source = np.repeat(np.arange(7), sizes)

    ours = SourceKFold(n_folds=3).splits(Rows(n=len(source), source=source), 0)

    theirs = GroupKFold(n_splits=3).split(np.empty(len(source)), groups=source)
    assert [s.test.tolist() for s in ours] == [test.tolist() for _, test in theirs]


def test_property_seed_settles_ties() -> None:
    rows = Rows(n=40, source=np.arange(40) // 4)
    drawn = {
        tuple(split.test)
        for seed in range(30)
        for split in SourceKFold(n_folds=5).splits(rows, seed, stop=1)
    }

    assert len(drawn) > 10


def test_invalid_fewer_sources_than_folds() -> None:
    with pytest.raises(InsufficientData, match="3 folds need as many sources, and there are 2"):
        SourceKFold(n_folds=3).n_splits(labelled(source=["a", "b", "a", "b"]))


def test_invalid_number_of_folds() -> None:
    with pytest.raises(InvalidParameter, match="n_folds must be at least 2"):
        SourceKFold(n_folds=0)


def test_limit_as_many_folds_as_sources_leaves_each_out_once() -> None:
    rows = Rows(n=40, source=np.random.default_rng(20_261_128).integers(0, 6, 40))

    ours = {(tuple(s.train), tuple(s.test)) for s in SourceKFold(n_folds=6).splits(rows, 3)}

    assert ours == {(tuple(s.train), tuple(s.test)) for s in LeaveOneSourceOut().splits(rows, 3)}
