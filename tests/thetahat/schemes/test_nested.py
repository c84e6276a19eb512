from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from thetahat.analyses.selection.nested_splits import split_training_part
from thetahat.errors import InvalidParameter
from thetahat.schemes.base import Rows
from thetahat.schemes.k_fold import KFold
from thetahat.schemes.nested import Nested


# By hand: 12 rows in 3 folds, the 8 others in 4 again.
def test_by_hand_sizes_of_both_levels() -> None:
    scheme, rows = Nested(n_folds=3, n_internal_folds=4), Rows(n=12)
    for split in scheme.splits(rows, 1):
        inner = list(split_training_part(scheme.internal(rows), rows, split, 1))
        assert (len(split.train), len(split.test)) == (8, 4)
        assert [(len(inner_split.train), len(inner_split.test)) for inner_split in inner] == [
            (6, 2)
        ] * 4
        assert_array_equal(
            np.sort(np.concatenate([inner_split.test for inner_split in inner])), split.train
        )


def test_exact_the_external_folds_are_those_of_k_fold() -> None:
    rows = Rows(n=23)
    pairs = zip(Nested().splits(rows, 6), KFold(n_folds=5).splits(rows, 6), strict=True)

    for ours, plain in pairs:
        assert_array_equal(ours.test, plain.test)


@pytest.mark.parametrize("name", ["n_folds", "n_internal_folds"])
def test_invalid_one_fold(name: str) -> None:
    with pytest.raises(InvalidParameter, match=f"{name} must be at least 2, and is 1") as refused:
        Nested(**{name: 1})

    assert refused.value.loc == (name,)


@pytest.mark.outside("scikit-learn KFold inside KFold, run here")
@pytest.mark.parametrize("n", [12, 17, 31])
def test_against_sklearn_sizes_of_both_levels(n: int) -> None:
    from sklearn.model_selection import KFold as Theirs

    scheme, rows = Nested(n_folds=3, n_internal_folds=4), Rows(n=n)
    theirs = Theirs(3).split(range(n))

    for split, (train, test) in zip(scheme.splits(rows, 1), theirs, strict=True):
        inner = split_training_part(scheme.internal(rows), rows, split, 1)
        assert (len(split.train), len(split.test)) == (len(train), len(test))
        sizes = [(len(a), len(b)) for a, b in Theirs(4).split(train)]
        assert [(len(inner_split.train), len(inner_split.test)) for inner_split in inner] == sizes
