from __future__ import annotations

import math

import numpy as np
import pytest

from tests.thetahat.schemes.some_rows import drawn
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.schemes.base import Rows
from thetahat.schemes.holdout import Holdout
from thetahat.schemes.random_subsampling import RandomSubsampling


@pytest.mark.outside("Nadeau and Bengio (2003): 15 splits, a tenth of the rows for test")
def test_golden_the_defaults_are_the_source_s() -> None:
    splits = list(RandomSubsampling().splits(Rows(n=300), 1))

    assert [(s.repeat, s.block, s.label) for s in splits] == [(0, j, j) for j in range(15)]
    assert {(len(s.train), len(s.test)) for s in splits} == {(270, 30)}


@pytest.mark.parametrize(("size", "n"), [(0.25, 10), (0.1, 25), (3, 10), (0.5, 7)])
def test_against_sklearn_shuffle_split_sizes(size: float, n: int) -> None:
    from sklearn.model_selection import ShuffleSplit

    theirs = ShuffleSplit(n_splits=4, test_size=size, random_state=0).split(np.zeros(n))
    ours = RandomSubsampling(n_draws=4, test_size=size).splits(Rows(n=n), 0)

    assert [(len(a), len(b)) for a, b in theirs] == [(len(s.train), len(s.test)) for s in ours]


def test_limit_the_first_draw_is_the_holdout() -> None:
    many = drawn(RandomSubsampling(n_draws=3, test_size=0.3), Rows(n=20), 8)

    assert many[:1] == drawn(Holdout(test_size=0.3), Rows(n=20), 8)


def test_property_more_draws_keep_those_there_were() -> None:
    few = drawn(RandomSubsampling(n_draws=3), Rows(n=20), 8)

    assert drawn(RandomSubsampling(n_draws=9), Rows(n=20), 8)[:3] == few


def test_calibrated_draws_are_independent() -> None:
    """A row is in two given test parts with probability mu^2; 8 rows, 4000 seeds."""
    reps, n = 4000, 8
    both = np.zeros(n)
    for seed in range(reps):
        first, two = RandomSubsampling(n_draws=2, test_size=0.25).splits(Rows(n=n), seed)
        both[np.intersect1d(first.test, two.test)] += 1

    # 8 rows within 4 standard errors: true for all but 1 seed in 2000; these are fixed.
    assert np.abs(both / reps - 1 / 16).max() < 4 * math.sqrt(15) / 16 / math.sqrt(reps)


def test_invalid_draws_and_sizes() -> None:
    with pytest.raises(InvalidParameter, match="n_draws must be at least 2, and is 1") as caught:
        RandomSubsampling(n_draws=1)
    assert caught.value.loc == ("n_draws",)
    with pytest.raises(InvalidParameter, match="test_size must be a share"):
        RandomSubsampling(test_size=1.5)
    with pytest.raises(InsufficientData, match="test_size 10 leaves no row of 10"):
        RandomSubsampling(test_size=10).n_splits(Rows(n=10))
