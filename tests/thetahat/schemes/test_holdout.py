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


@pytest.mark.outside("hand arithmetic: the share rounded up, with a row left on each side")
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
def test_golden_number_of_test_rows(size: float, n: int, wanted: int) -> None:
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
