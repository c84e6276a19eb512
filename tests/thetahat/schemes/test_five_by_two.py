from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.thetahat.schemes.some_rows import plain
from thetahat.errors import InsufficientData, InvalidParameter, UnsupportedCombination
from thetahat.schemes.base import Rows
from thetahat.schemes.five_by_two import FiveByTwo
from thetahat.schemes.repeated_k_fold import RepeatedKFold


@pytest.mark.outside("scikit-learn RepeatedKFold(n_splits=2, n_repeats=5), run here")
def test_against_sklearn_five_pairs_of_halves() -> None:
    """Dietterich (1998): five replications of two halves, each of which is tested once."""
    from sklearn.model_selection import RepeatedKFold as Theirs

    splits = list(FiveByTwo().splits(Rows(n=7), 3))

    theirs = Theirs(n_splits=2, n_repeats=5, random_state=1).split(range(7))
    sizes = [(len(train), len(test)) for train, test in theirs]
    assert [(len(s.train), len(s.test)) for s in splits] == sizes
    assert [(s.repeat, s.block, len(s.train), len(s.test)) for s in splits] == [
        (repeat, block, 3 + block, 4 - block) for repeat in range(5) for block in range(2)
    ]
    for first, second in zip(splits[::2], splits[1::2], strict=True):
        assert_array_equal(first.train, second.test)
        assert_array_equal(first.test, second.train)
    assert len({tuple(split.test) for split in splits}) == 10


def test_exact_it_is_repeated_k_fold_of_two_folds() -> None:
    ours = FiveByTwo().splits(Rows(n=30), 8)
    theirs = RepeatedKFold(n_folds=2, n_repeats=5).splits(Rows(n=30), 8)

    assert plain(list(ours)) == plain(list(theirs))


def test_property_stratified_halves_have_equal_class_counts() -> None:
    y = np.repeat([0, 1, 2], [13, 4, 2]).astype(np.intp)
    rows = Rows(n=19, y=y, classes=("a", "b", "c"))
    scheme = FiveByTwo(stratified=True)

    assert scheme.requires == {"y"}
    assert scheme.n_splits(rows) == 10
    for split in scheme.splits(rows, 4):
        counts = np.bincount(y[split.test], minlength=3)
        assert (abs(counts - np.array([6.5, 2, 1])) <= 0.5).all()


def test_invalid_data() -> None:
    with pytest.raises(InsufficientData, match="2 folds need as many rows"):
        FiveByTwo().splits(Rows(n=1), 1)
    lonely = Rows(n=5, y=np.array([0, 0, 0, 0, 1]), classes=("a", "b"))
    with pytest.raises(InsufficientData, match="Class 'b' has 1 rows, fewer than 2 folds"):
        FiveByTwo(stratified=True).n_splits(lonely)
    numbers = Rows(n=4, y=np.array([0.5, 1.5, 2.5, 3.0]))
    with pytest.raises(UnsupportedCombination, match="the target is a number"):
        FiveByTwo(stratified=True).n_splits(numbers)
    with pytest.raises(InvalidParameter, match="'five_by_two' needs a y column"):
        FiveByTwo(stratified=True).n_splits(Rows(n=4))
