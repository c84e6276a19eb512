from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.statistics.replicating import (
    bootstrap_rows,
    check_by_hand,
    drawn,
    every_resample,
    sample,
)
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.statistics.variance import Variance


# By hand on the lecture's sample (3, 5, 2, 1, 7).
def test_by_hand_values() -> None:
    # mean 3.6; deviations -.6 1.4 -1.6 -2.6 3.4; squares .36 1.96 2.56 6.76 11.56, sum 23.2
    # (7, 3, 2, 3, 1): mean 3.2; squares 14.44 .04 1.44 .04 4.84, sum 20.8
    rows = [[4, 0, 2, 0, 3]]
    with_ddof_1, none = (
        bootstrap_rows(Variance(ddof=d), sample([3, 5, 2, 1, 7]), rows) for d in (1, 0)
    )

    assert_allclose([with_ddof_1.estimate, none.estimate], [5.8, 4.64], rtol=1e-14)
    assert_allclose([with_ddof_1.values[0], none.values[0]], [5.2, 4.16], rtol=1e-14)


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("x", [[4.0, 1.5], [0.0, 1.0, 5.0], [3.0, 5.0, 2.0, 9.0]])
def test_exact_the_bias_over_all_resamples(x: list[float], ddof: int) -> None:
    replicates = bootstrap_rows(Variance(ddof=ddof), sample(x), every_resample(len(x)))

    assert_allclose(replicates.bias, -replicates.estimate / len(x), rtol=1e-12)


@pytest.mark.parametrize("ddof", [0, 1])
def test_against_numpy_variances_of_resamples(ddof: int) -> None:
    x = np.random.default_rng(0).normal(100, 1, 19)

    check_by_hand(Variance(ddof=ddof), sample(x), partial(np.var, ddof=ddof), rtol=1e-9)


@pytest.mark.parametrize("factor", [1e-60, 1e60])
def test_exact_the_unit_does_not_matter(factor: float) -> None:
    x = np.random.default_rng(1).normal(0, 1, 12)
    first, other = (drawn(Variance(), sample(x * f), 50, errors=True) for f in (1, factor))

    assert_allclose(other.values, first.values * factor**2, rtol=1e-10)
    assert_allclose(other.ratios, first.ratios, rtol=1e-8)


def test_degenerate_a_resample_of_one_value_and_a_constant_sample() -> None:
    assert bootstrap_rows(Variance(), sample([0.1, 0.7, 0.3]), [[1, 1, 1]]).values[0] == 0
    same = drawn(Variance(), sample([0.1] * 9))
    assert (same.estimate, same.variance, same.is_constant) == (0, 0, True)
    two = drawn(Variance(), sample([1, 2]), errors=True)
    assert (two.acceleration, two.sample_standard_error) == (None, None)


def test_invalid_too_few_and_ddof() -> None:
    with pytest.raises(InsufficientData, match="at least 2 values"):
        drawn(Variance(), sample([1]))
    with pytest.raises(InvalidParameter, match="ddof is 0 or 1"):
        Variance(ddof=2)
