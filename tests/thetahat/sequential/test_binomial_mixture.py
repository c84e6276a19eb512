"""The binomial mixture."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.sequential.vectors import VECTORS, look_at
from thetahat.errors import InvalidParameter
from thetahat.sequential import SequentialQuestion
from thetahat.sequential.binomial_mixture import (
    SHARE_OF_RATE,
    BinomialMixture,
    compute_log_e_value,
    find_rates,
)

OF_ONE = SequentialQuestion(level=0.95, reference=0.5, is_pair=False)
OF_TWO = SequentialQuestion(level=0.95)


@pytest.mark.outside("inversion of the uniform-prior mixture (Robbins 1970; Howard et al. 2021)")
@pytest.mark.parametrize("name", ["cs_bernoulli", "cs_all_zero"])
def test_golden_intervals_and_e_values(name: str) -> None:
    inputs, expected = VECTORS[name]["inputs"], VECTORS[name]["expected"]
    outcomes = look_at(BinomialMixture(), inputs["x"], inputs["looks"], OF_ONE)

    ends = [(outcome.lower, outcome.upper) for outcome in outcomes]
    assert_allclose(ends, expected["beta_binomial_mixture"], rtol=1e-7, atol=1e-9)
    e_values = [math.exp(outcome.log_e_value or 0.0) for outcome in outcomes]
    assert_allclose(e_values, expected["beta_binomial_e_value_at_half_uniform_prior"], rtol=1e-9)


def test_naive_the_mixture_is_the_mean_likelihood_over_all_rates() -> None:
    rates = (np.arange(200_000) + 0.5) / 200_000
    for ones, zeros in [(0, 5), (3, 4), (12, 30)]:
        mean = (rates**ones * (1 - rates) ** zeros).mean()
        expected = mean / (0.3**ones * 0.7**zeros)
        assert_allclose(math.exp(compute_log_e_value(ones, zeros, 0.3)), expected, rtol=1e-8)


def test_naive_the_interval_of_a_pair_by_a_grid() -> None:
    """All means that pairs of a share and a rate inside their two intervals allow."""
    n, ones, minus_ones = 300, 40, 22
    x = [1] * ones + [-1] * minus_ones + [0] * (n - ones - minus_ones)
    (outcome,) = look_at(BinomialMixture(), x, [n], OF_TWO)
    shares = np.linspace(*find_rates(ones, minus_ones, (1 - SHARE_OF_RATE) * 0.05), 400)
    rates = np.linspace(*find_rates(ones + minus_ones, n - ones - minus_ones, 0.005), 400)
    means = np.outer(rates, 2 * shares - 1)

    assert_allclose([outcome.lower, outcome.upper], [means.min(), means.max()], rtol=1e-12)
    assert outcome.estimate == (ones - minus_ones) / n
    assert_allclose(outcome.standard_deviation, np.std(x), rtol=1e-12)
    assert outcome.log_e_value == compute_log_e_value(ones, minus_ones, 0.5)


def test_exact_swapped_models_have_the_mirrored_interval() -> None:
    x = np.array([1] * 9 + [-1] * 30 + [0] * 200)
    one, other = (look_at(BinomialMixture(), v, [239], OF_TWO)[0] for v in (x, -x))

    assert_allclose([other.lower, other.upper], [-one.upper, -one.lower], rtol=1e-10)
    assert one.log_e_value == other.log_e_value


def test_degenerate_models_that_never_differ_have_an_interval() -> None:
    (outcome,) = look_at(BinomialMixture(), np.zeros(2000), [2000], OF_TWO)

    assert (outcome.estimate, outcome.log_e_value) == (0.0, 0.0)
    assert -0.01 < outcome.lower < 0 < outcome.upper < 0.01


@pytest.mark.parametrize("values", [[0.0, 0.5], [2.0, 1.0]])
def test_invalid_other_values(values: Any) -> None:
    with pytest.raises(InvalidParameter, match="losses that are 0 or 1"):
        look_at(BinomialMixture(), values, [2], OF_TWO)
