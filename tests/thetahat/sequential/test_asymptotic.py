"""The asymptotic confidence sequence."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.sequential.vectors import VECTORS, look_at
from thetahat.errors import InvalidParameter
from thetahat.sequential import SequentialQuestion
from thetahat.sequential.asymptotic import Asymptotic, compute_reach, compute_rho_squared

QUESTION = SequentialQuestion(level=0.95)


@pytest.mark.outside("Waudby-Smith et al. (2024), and confseq's normal_mixture_bound")
def test_golden_intervals_at_looks() -> None:
    # vector asymptotic_cs_normal; its looks are before the row from which we give an interval
    vector = VECTORS["asymptotic_cs_normal"]
    inputs, expected = vector["inputs"], vector["expected"]
    rho_squared = compute_rho_squared(inputs["alpha"], inputs["t_opt"])
    assert_allclose(rho_squared, expected["rho_squared"], rtol=1e-11)
    for n, ends in zip(inputs["looks"], expected["intervals_at_looks"], strict=True):
        x = np.array(inputs["x"][:n])
        reach = compute_reach(n, inputs["alpha"], rho_squared) * x.std()
        assert_allclose([x.mean() - reach, x.mean() + reach], ends, rtol=1e-10)

    (outcome,) = look_at(Asymptotic(narrowest_at=60), inputs["x"], [120], QUESTION)
    assert_allclose([outcome.lower, outcome.upper], expected["intervals_at_looks"][-1], rtol=1e-10)


@pytest.mark.outside("confseq, normal_mixture_bound compiled from its C++ source")
def test_golden_two_sided_boundary_of_the_sum() -> None:
    # vector normal_mixture_boundary, at unit variance: n times the reach is the bound of the sum
    vector = VECTORS["normal_mixture_boundary"]
    inputs = vector["inputs"]
    for alpha, bounds in vector["expected"]["two_sided_each_tail"].items():
        rho_squared = compute_rho_squared(float(alpha), inputs["v_opt"])
        found = [n * compute_reach(n, float(alpha), rho_squared) for n in inputs["v"]]
        assert_allclose(found, bounds, rtol=1e-9)
        # polynomial stitching and the gamma-exponential bound answer otherwise
        for others in vector["elsewhere"].values():
            assert abs(np.array(found) - np.array(others[alpha])).min() > 0.1


def test_exact_the_e_value_is_one_over_alpha_at_the_end_of_the_interval() -> None:
    x = np.random.default_rng(5).normal(0.1, 2.0, 400)
    (outcome,) = look_at(Asymptotic(), x, [400], QUESTION)
    for end in (outcome.lower, outcome.upper):
        assert end is not None
        question = SequentialQuestion(level=0.95, reference=end)
        (at_end,) = look_at(Asymptotic(), x, [400], question)
        assert_allclose(math.exp(at_end.log_e_value), 20, rtol=1e-9)


def test_exact_the_order_and_the_batches_do_not_matter() -> None:
    x = np.random.default_rng(6).normal(1e6, 1.0, 300)
    whole, mixed = (look_at(Asymptotic(), values, [300], QUESTION)[0] for values in (x, np.sort(x)))
    (*_, in_parts) = look_at(Asymptotic(), x, [100, 101, 300], QUESTION)

    assert whole == mixed  # to the last bit
    assert_allclose([whole.lower, whole.upper], [in_parts.lower, in_parts.upper], rtol=1e-13)
    assert_allclose(whole.standard_deviation, x.std(), rtol=1e-10)


def test_naive_moments_row_by_row() -> None:
    x = [float(v) for v in np.random.default_rng(7).integers(-3, 9, 137)]
    mean = sum(x) / len(x)
    variance = sum((v - mean) ** 2 for v in x) / len(x)
    alpha, t = 0.05, len(x)
    r = (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / 500
    reach = math.sqrt(variance) * math.sqrt(
        2 * (t * r + 1) / (t**2 * r) * math.log(math.sqrt(t * r + 1) / alpha)
    )
    (outcome,) = look_at(Asymptotic(), x, [t], QUESTION)

    assert_allclose([outcome.lower, outcome.upper], [mean - reach, mean + reach], rtol=1e-12)


def test_degenerate_no_interval_before_twenty_values_differ() -> None:
    values = np.zeros(1000)
    values[:19] = 1
    first, second = look_at(Asymptotic(), [*values, -1.0], [1000, 1001], QUESTION)

    assert first.lower is None
    assert first.reason == (
        "Of 1000 values 19 differ from the commonest one, and 20 must for an interval."
    )
    assert second.lower is not None


def test_degenerate_all_values_are_equal_or_few() -> None:
    (few,) = look_at(Asymptotic(), np.arange(99), [99], QUESTION)
    (equal,) = look_at(Asymptotic(), np.full(5000, 0.25), [5000], QUESTION)

    assert few.reason == "There are 99 rows, and the first interval is at row 100."
    assert (equal.lower, equal.estimate, equal.log_e_value) == (None, 0.25, None)
    assert "0 differ" in equal.reason


def test_invalid_a_start_that_comes_too_early() -> None:
    with pytest.raises(InvalidParameter, match="start must be from 100"):
        Asymptotic(start=10)
