from __future__ import annotations

import pytest

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.schemes.base import Rows
from thetahat.schemes.repeated_k_fold import RepeatedKFold


def test_golden_two_repeats_of_three_folds() -> None:
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
