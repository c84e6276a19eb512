from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.statistics.replicating import (
    bootstrap_rows,
    check_by_hand,
    drawn,
    every_resample,
    sample,
)
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.statistics.mean import MeanStatistic

LECTURE = "the cross-validation lecture's example of bias and variance by the bootstrap"
X = [3, 5, 2, 1, 7]
ROWS = [[4, 0, 2, 0, 3], [1, 3, 3, 0, 4], [2, 2, 4, 3, 0]]  # (7,3,2,3,1), (5,1,1,3,7), (2,2,7,1,3)


@pytest.mark.outside(LECTURE)
def test_golden_the_lecture_s_example_to_the_last_digit() -> None:
    replicates = bootstrap_rows(MeanStatistic(), sample(X), ROWS)

    assert replicates.estimate == 3.6
    assert_array_equal(replicates.values, [3.2, 3.4, 3.0])
    assert replicates.bias == -0.4
    assert replicates.variance == 0.04
    assert replicates.standard_error == 0.2
    assert replicates.replicates_mean == 3.2
    assert replicates.estimate - replicates.bias == 4.0


@pytest.mark.parametrize("x", [[4.0, 1.5], [0.0, 1.0, 5.0], [3.0, 5.0, 2.0, 9.0]])
def test_exact_all_resamples_have_the_plug_in_variance(x: list[float]) -> None:
    n = len(x)
    replicates = bootstrap_rows(MeanStatistic(), sample(x), every_resample(n))

    assert_allclose(replicates.bias, 0, atol=1e-15)
    assert_allclose(replicates.scaled.var() / n**2, np.var(x) / n, rtol=1e-13)


def test_naive_the_mean_of_each_resample() -> None:
    x = np.random.default_rng(0).normal(3, 1, 23)

    check_by_hand(MeanStatistic(), sample(x), np.mean)


def test_naive_the_compiled_loops() -> None:
    x = np.random.default_rng(1).normal(0, 1, 2100)

    check_by_hand(MeanStatistic(), sample(x), np.mean, n_resamples=2000, rtol=1e-9)


def test_exact_the_jackknife_s_error_is_the_formula_s() -> None:
    x = np.random.default_rng(2).exponential(1, 31)
    replicates = drawn(MeanStatistic(), sample(x), 100, errors=True)

    assert replicates.sample_standard_error is not None
    assert_allclose(replicates.sample_standard_error, x.std(ddof=1) / 31**0.5, rtol=1e-13)


def test_calibrated_the_variance_of_drawn_resamples() -> None:
    x = np.random.default_rng(3).normal(0, 2, 50)
    replicates = drawn(MeanStatistic(), sample(x), 20_000)
    exact = x.var() / 50

    assert replicates.variance is not None
    # of nearly normal replicates: relative error of a variance sqrt(2 / B)
    assert abs(replicates.variance / exact - 1) < 5 * (2 / 20_000) ** 0.5
    assert abs(replicates.bias) < 5 * (exact / 20_000) ** 0.5


@pytest.mark.parametrize("offset", [1e9, 1e70])
def test_exact_nothing_is_lost_to_a_mean_far_above_the_spread(offset: float) -> None:
    unit = np.spacing(offset)
    base = np.array([3, 5, 2, 1, 7]) * unit
    near, far = (bootstrap_rows(MeanStatistic(), sample(x), ROWS) for x in (base, base + offset))

    assert far.variance is not None
    assert near.variance is not None
    assert_allclose(far.variance, near.variance, rtol=1e-12)
    assert_allclose(far.bias, near.bias, rtol=1e-12)


@pytest.mark.parametrize("unit", [2.0**-800, 2.0**240])
def test_exact_tiny_and_huge_values_keep_their_standard_error(unit: float) -> None:
    replicates = bootstrap_rows(MeanStatistic(), sample(np.array(X) * unit), ROWS)

    assert replicates.standard_error == 0.2 * unit


def test_degenerate_one_value_and_one_value_many_times() -> None:
    single, same = (
        drawn(MeanStatistic(), sample([4.0])),
        drawn(MeanStatistic(), sample([0.1] * 7), errors=True),
    )

    assert (single.variance, single.bias, single.acceleration, single.sample_standard_error) == (
        0,
        0,
        None,
        None,
    )
    assert (same.variance, same.bias, same.estimate) == (0, 0, 0.1)
    assert same.is_constant
    assert single.is_constant


def test_invalid_samples() -> None:
    with pytest.raises(InsufficientData, match="the sample is empty"):
        sample([])
    with pytest.raises(InvalidParameter, match="x 1 is nan") as caught:
        sample([1, np.nan])
    assert caught.value.loc == ("x", 1)
    with pytest.raises(InvalidParameter, match="of one sample, and there is a y"):
        drawn(MeanStatistic(), sample([1, 2], [3, 4]))
