from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binom

from tests.thetahat.statistics.replicating import (
    bootstrap_rows,
    check_by_hand,
    drawn,
    every_resample,
    sample,
)
from thetahat.errors import InvalidParameter
from thetahat.statistics.median import Median


# By hand: of 27 resamples of three values 7, 13 and 7 have each median.
def test_by_hand_all_resamples_of_three_values() -> None:
    # the median is the smallest value where at least two draws are: 3 (1/9)(2/3) + 1/27 = 7/27
    replicates = bootstrap_rows(Median(), sample([10, 40, 20]), every_resample(3))

    values, times = np.unique(replicates.values, return_counts=True)
    assert_array_equal(values, [10, 20, 40])
    assert_array_equal(times, [7, 13, 7])
    assert_allclose(replicates.bias, (7 * 10 + 13 * 20 + 7 * 40) / 27 - 20, rtol=1e-13)


def test_calibrated_the_known_distribution_of_an_odd_number() -> None:
    n, B = 13, 40_000
    x = np.arange(n, dtype=float)
    replicates = drawn(Median(), sample(x), B)

    k = np.arange(n)
    share = np.asarray(binom.cdf((n - 1) / 2, n, k / n) - binom.cdf((n - 1) / 2, n, (k + 1) / n))
    seen = np.bincount(replicates.values.astype(int), minlength=n) / B
    assert_allclose(share.sum(), 1, rtol=1e-12)
    assert (np.abs(seen - share) < 5 * np.sqrt(share * (1 - share) / B) + 1e-4).all()


@pytest.mark.parametrize("n", [1, 2, 9, 16])
def test_against_numpy_medians_of_resamples(n: int) -> None:
    x = np.random.default_rng(n).normal(0, 1, n)

    check_by_hand(Median(), sample(x), lambda v: float(np.median(v)) if len(v) else np.nan)


@pytest.mark.parametrize("n", [2100, 2101])
def test_naive_the_compiled_loop(n: int) -> None:
    x = np.random.default_rng(n).integers(0, 500, n)

    check_by_hand(Median(), sample(x), np.median, n_resamples=2000)


def test_degenerate_tied_middle_values() -> None:
    replicates = drawn(Median(), sample([1, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 9]))

    assert replicates.variance == 0
    assert replicates.is_constant


def test_invalid_a_second_sample() -> None:
    with pytest.raises(InvalidParameter, match="median is of one sample"):
        drawn(Median(), sample([1], [2]))
