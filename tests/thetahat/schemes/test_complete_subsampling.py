from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.schemes.base import Rows
from thetahat.schemes.complete_subsampling import CompleteSubsampling
from thetahat.schemes.random_subsampling import RandomSubsampling


@pytest.mark.outside("scikit-learn LeavePOut(4) of eight rows, run here")
def test_against_sklearn_all_halves_of_eight_rows() -> None:
    """Kohavi (1995) has C(m, m/2) splits: C(8, 4) = 70."""
    from sklearn.model_selection import LeavePOut

    splits = list(CompleteSubsampling().splits(Rows(n=8), 1))

    theirs = LeavePOut(4).split(range(8))
    assert {(tuple(s.train.tolist()), tuple(s.test.tolist())) for s in splits} == {
        (tuple(train.tolist()), tuple(test.tolist())) for train, test in theirs
    }
    assert len(splits) == 70


def test_exact_every_row_is_tested_as_often() -> None:
    counts = np.zeros(9)
    for split in CompleteSubsampling(test_size=0.3).splits(Rows(n=9), 1):
        counts[split.test] += 1

    assert counts.tolist() == [28] * 9  # 3 of 9: C(8, 2) of the 84 splits


def test_calibrated_random_subsampling_approaches_it() -> None:
    """The mean of many draws is the complete one, to 4 Monte-Carlo errors (1 seed in 16 000)."""
    y = np.random.default_rng(44).gamma(2.0, size=9)

    def errors(scheme: CompleteSubsampling | RandomSubsampling) -> np.ndarray:
        splits = scheme.splits(Rows(n=9), 5)
        return np.array([np.mean((y[s.test] - np.median(y[s.train])) ** 2) for s in splits])

    drawn = errors(RandomSubsampling(n_draws=4000, test_size=3))

    error = drawn.std(ddof=1) / np.sqrt(4000)
    assert_allclose(drawn.mean(), errors(CompleteSubsampling(test_size=3)).mean(), atol=4 * error)


def test_invalid_size_and_number() -> None:
    with pytest.raises(InvalidParameter, match="test_size must be a share"):
        CompleteSubsampling(test_size=0.0)
    with pytest.raises(InsufficientData, match="in 155117520 ways with 15 rows") as caught:
        CompleteSubsampling().n_splits(Rows(n=30))
    assert caught.value.loc == ("test_size",)
