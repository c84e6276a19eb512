from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.statistics.replicating import (
    LAW_GPA,
    LAW_LSAT,
    bootstrap_rows,
    check_by_hand,
    drawn,
    sample,
)
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.statistics.correlation import Correlation


@pytest.mark.outside("Efron and Tibshirani (1993), the law school data: correlation .776")
def test_golden_law_school() -> None:
    replicates = drawn(Correlation(), sample(LAW_LSAT, LAW_GPA), 3200, errors=True)

    assert round(replicates.estimate, 3) == 0.776
    # its Table 6.1 has .132 from 3200 replicates, of nearly the same distribution
    assert replicates.standard_error is not None
    assert abs(replicates.standard_error - 0.132) < 5 * 0.132 / (2 * 3200) ** 0.5


@pytest.mark.outside("Rizzo (2008), Statistical Computing with R: the law data's jackknife")
def test_golden_jackknife_of_the_law_school_data() -> None:
    replicates = drawn(Correlation(), sample(LAW_LSAT, LAW_GPA), errors=True)
    without = replicates.functional.jackknife()

    assert replicates.sample_standard_error is not None
    assert_allclose(14 * (without.mean() - replicates.estimate), -0.006473623, rtol=1e-7)
    assert_allclose(replicates.sample_standard_error, 0.1425186, rtol=1e-6)


def test_naive_the_correlation_of_each_resample() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(50, 1, 18)

    check_by_hand(
        Correlation(),
        sample(x, x + rng.normal(0, 1, 18)),
        lambda a, b: float(np.corrcoef(a, b)[0, 1]),
        rtol=1e-9,
    )


def test_exact_units_do_not_matter_and_a_sign_turns_it() -> None:
    x, y = LAW_LSAT, LAW_GPA
    plain = drawn(Correlation(), sample(x, y))
    turned = drawn(Correlation(), sample(7 + 1e60 * x, -1e-30 * y))

    assert_allclose(turned.values, -plain.values, rtol=1e-10)


def test_exact_a_straight_line_is_one_in_every_resample() -> None:
    x = np.random.default_rng(2).normal(0, 1, 12)
    replicates = drawn(Correlation(), sample(x, 3 - 0.1 * x), 500)

    assert_array_equal(replicates.values, -np.ones(500))
    assert replicates.is_constant


def test_exact_draws_without_a_spread_are_drawn_again_and_counted() -> None:
    x, y = np.array([0.0, 0.0, 0.0, 1.0]), np.array([1.0, 2.0, 5.0, 3.0])
    replicates = drawn(Correlation(), sample(x, y), 4000)

    assert np.isfinite(replicates.values).all()
    # a draw misses the fourth row with probability (3/4)^4, or takes only it: 1/256
    p = (3 / 4) ** 4 + 1 / 256
    expected = 4000 * p / (1 - p)
    assert abs(replicates.n_drawn_again - expected) < 5 * (4000 * p) ** 0.5 / (1 - p)
    assert_array_equal(replicates.values[:50], drawn(Correlation(), sample(x, y), 50).values)


def test_invalid_a_given_resample_without_a_spread() -> None:
    with pytest.raises(InvalidParameter, match="Resample 1 has no value: x or y") as caught:
        bootstrap_rows(Correlation(), sample([1, 2, 3], [1, 3, 2]), [[0, 1, 2], [0, 0, 0]])
    assert caught.value.loc == ("resamples", 1)


def test_degenerate_a_row_without_which_there_is_none() -> None:
    replicates = drawn(Correlation(), sample([0, 0, 0, 1], [1, 2, 5, 3]), errors=True)

    assert replicates.acceleration is None
    assert replicates.sample_standard_error is None


def test_invalid_samples() -> None:
    with pytest.raises(InvalidParameter, match="y is constant") as caught:
        drawn(Correlation(), sample([1, 2, 3], [4, 4, 4]))
    assert caught.value.loc == ("y",)
    with pytest.raises(InvalidParameter, match="3 x and 2 y"):
        drawn(Correlation(), sample([1, 2, 3], [4, 4]))
    with pytest.raises(InvalidParameter, match="there is no y"):
        drawn(Correlation(), sample([1, 2, 3]))
    with pytest.raises(InsufficientData, match="at least 3 rows"):
        drawn(Correlation(), sample([1, 2], [2, 1]))
