from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from thetahat.analyses.selection.nested_splits import split_training_part
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.schemes.base import Rows
from thetahat.schemes.holdout import Holdout
from thetahat.schemes.three_way import ThreeWay


# By hand: both shares are of all rows, rounded up.
@pytest.mark.parametrize(
    ("validation", "test", "wanted"),
    [(0.25, 0.25, (10, 5, 5)), (0.21, 0.3, (9, 5, 6)), (3, 0.5, (7, 3, 10)), (1, 18, (1, 1, 18))],
)
def test_by_hand_three_disjoint_sets(
    validation: float, test: float, wanted: tuple[int, int, int]
) -> None:
    scheme, rows = ThreeWay(validation_size=validation, test_size=test), Rows(n=20)
    (split,) = scheme.splits(rows, 4)
    (inner,) = split_training_part(scheme.internal(rows), rows, split, 4)

    parts = (inner.train, inner.test, split.test)
    assert tuple(len(part) for part in parts) == wanted
    assert_array_equal(np.sort(np.concatenate(parts)), np.arange(20))
    assert_array_equal(np.sort(np.concatenate(parts[:2])), split.train)


def test_exact_the_test_set_is_that_of_a_holdout() -> None:
    rows = Rows(n=33)
    (three,) = ThreeWay(test_size=0.3).splits(rows, 9)
    (two,) = Holdout(test_size=0.3).splits(rows, 9)

    assert_array_equal(three.test, two.test)


def test_invalid_sizes() -> None:
    with pytest.raises(InvalidParameter, match="validation_size must be") as refused:
        ThreeWay(validation_size=0)
    assert refused.value.loc == ("validation_size",)
    with pytest.raises(InvalidParameter, match="test_size must be") as refused:
        ThreeWay(test_size=1.5)
    assert refused.value.loc == ("test_size",)
    with pytest.raises(InsufficientData, match="10 rows to validate on and 10 to test on") as few:
        ThreeWay(validation_size=0.5, test_size=0.5).n_splits(Rows(n=20))
    assert few.value.loc == ("validation_size",)


@pytest.mark.outside("scikit-learn train_test_split, applied twice, run here")
@pytest.mark.parametrize(("validation", "test"), [(5, 0.25), (3, 0.5), (7, 0.21)])
def test_against_sklearn_train_test_split_twice(validation: int, test: float) -> None:
    from sklearn.model_selection import train_test_split

    scheme, rows = ThreeWay(validation_size=validation, test_size=test), Rows(n=33)
    (split,) = scheme.splits(rows, 4)
    (inner,) = split_training_part(scheme.internal(rows), rows, split, 4)

    others, tested = train_test_split(range(33), test_size=test)
    train, validated = train_test_split(others, test_size=validation)
    sizes = (len(inner.train), len(inner.test), len(split.test))
    assert sizes == (len(train), len(validated), len(tested))
