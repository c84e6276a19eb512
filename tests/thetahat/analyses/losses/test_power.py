"""Power of a test and the smallest difference that it finds."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import nctdtr, stdtrit

from tests.thetahat.analyses.losses.tables import evaluated, five_by_nine
from thetahat import evaluate as evaluate_losses
from thetahat.analyses.losses import Choices
from thetahat.analyses.losses.plans import plan
from thetahat.analyses.losses.power import compute_power, find_detectable_difference
from thetahat.analyses.losses.result import Comparison
from thetahat.analyses.losses.verdict_basis import VerdictBasis
from thetahat.values.types import BlockKind, Target

SOURCES = five_by_nine(BlockKind.SOURCE).layout


@pytest.mark.outside("R help page of power.t.test: n = 20, delta = 1, sd = 1: power 0.8689528")
def test_golden_two_sample_power() -> None:
    # R leaves out the far tail unless it is told to be strict
    error = math.sqrt(2 / 20)
    far_tail = float(nctdtr(38, 1 / error, stdtrit(38, 0.025)))
    assert_allclose(compute_power(1.0, error, 38.0, 0.05) - far_tail, 0.8689528, atol=1e-7)


@pytest.mark.outside("R help page of power.t.test: power .90, delta = 1: n = 22.02110")
def test_golden_detectable_difference() -> None:
    n = 22.02110
    difference = find_detectable_difference(math.sqrt(2 / n), 2 * n - 2, 0.05, 0.9)
    assert_allclose(difference, 1.0, atol=1e-6)


def test_by_hand_normal_detectable_difference() -> None:
    # 1.959964 + .841621, less what the far tail adds
    difference = find_detectable_difference(2.0, None, 0.05, 0.8)
    assert_allclose(difference, 2 * 2.8015852, atol=2e-5)


@pytest.mark.parametrize("degrees", [1.0, 4.0, 99.0, None])
@pytest.mark.parametrize("power", [0.1, 0.5, 0.8, 0.999])
def test_exact_detectable_difference_has_the_power(degrees: float | None, power: float) -> None:
    difference = find_detectable_difference(0.3, degrees, 0.05, power)
    assert_allclose(compute_power(difference, 0.3, degrees, 0.05), power, rtol=1e-8)


def test_exact_power_grows_where_the_far_tail_has_no_number() -> None:
    """With one degree of freedom the library has no value at shifts of 12, 20 or 30."""
    powers = [compute_power(float(shift), 1.0, 1.0, 0.05) for shift in range(41)]
    assert all(low < high for low, high in itertools.pairwise(powers))


def test_degenerate_power_below_alpha_needs_no_difference() -> None:
    assert find_detectable_difference(1.0, 9.0, 0.05, 0.05) == 0.0


def _on_new_sources(within: float | None, error: float = 0.1) -> VerdictBasis:
    return VerdictBasis(
        difference=0.1,
        standard_error=error,
        degrees_of_freedom=4.0,
        target=Target.NEW_SOURCE,
        method="student_t",
        variance="theta_gamma",
        within=within,
    )


def test_by_hand_instances_help_a_new_source_where_sampling_is_all_the_spread() -> None:
    """All of the error .1 is sampling within sources: it falls as 1 / sqrt(n), df stays 4."""
    design, _ = plan(_on_new_sources(0.01), SOURCES, alpha=0.05, power=0.8, margin=None)
    assert design is not None
    assert design.unit == "sources"
    (other,) = design.alternatives
    assert other.unit == "instances"
    assert other.total is not None
    assert other.additional == other.total - SOURCES.n_instances
    for total, enough in ((other.total, True), (other.total - 1, False)):
        error = 0.1 * math.sqrt(SOURCES.n_instances / total)
        critical = float(stdtrit(4, 0.975))
        power = 1 - float(nctdtr(4, 0.1 / error, critical) - nctdtr(4, 0.1 / error, -critical))
        assert (power >= 0.8) is enough


def test_exact_instances_do_not_help_against_the_spread_between_sources() -> None:
    design, _ = plan(_on_new_sources(0.001), SOURCES, alpha=0.05, power=0.8, margin=None)
    assert design is not None
    (other,) = design.alternatives
    assert other.unit == "instances"
    assert other.reason is not None
    assert "90 % of the variance" in other.reason


def test_degenerate_within_above_the_whole_counts_as_no_spread_between() -> None:
    design, _ = plan(_on_new_sources(0.02), SOURCES, alpha=0.05, power=0.8, margin=None)
    assert design is not None
    assert design.alternatives[0].total is not None


def test_degenerate_no_way_leads_there() -> None:
    basis = _on_new_sources(None, error=1e9)
    design, reason = plan(basis, SOURCES, alpha=0.05, power=0.8, margin=None)
    assert design is None
    assert reason is not None
    assert "It would take more than 1 000 000 000 000 sources." in reason


def test_exact_verdict_says_what_could_be_detected() -> None:
    table = five_by_nine(BlockKind.RANDOM)
    pair = evaluated(table, Choices(margin=0.2, power=0.9), 1)["comparisons"][0]
    verdict = pair["verdict"]
    error, degrees = (pair["interval"][k] for k in ("standard_error", "degrees_of_freedom"))
    detectable = verdict["detectable"]
    assert (detectable["power"], detectable["alpha"]) == (0.9, pytest.approx(0.05))
    assert_allclose(compute_power(detectable["difference"], error, degrees, 0.05), 0.9, rtol=1e-8)
    assert_allclose(
        detectable["power_at_margin"], compute_power(0.2, error, degrees, 0.05), rtol=1e-12
    )


def test_calibrated_detectable_difference_is_found_so_often() -> None:
    """20 000 t tests of 12 normal differences whose mean is the detectable one."""
    n, repetitions = 12, 20_000
    delta = find_detectable_difference(1 / math.sqrt(n), n - 1.0, 0.05, 0.8)
    draws = np.random.default_rng(41).normal(delta, 1.0, (repetitions, n))
    statistics = draws.mean(axis=1) / (draws.std(axis=1, ddof=1) / math.sqrt(n))
    power = float((np.abs(statistics) > stdtrit(n - 1, 0.975)).mean())
    assert abs(power - 0.8) < 4 * math.sqrt(0.8 * 0.2 / repetitions)  # fails for 1 seed in 16 000


@pytest.mark.parametrize("degrees_of_freedom", [None, 0.5, 1.0, 5.0, 100.0])
@pytest.mark.parametrize("alpha", [1.1e-16, 1e-14, 1e-9, 0.05])
def test_degenerate_tiny_alpha_ends_the_search(
    degrees_of_freedom: float | None, alpha: float
) -> None:
    difference = find_detectable_difference(1.0, degrees_of_freedom, alpha, 0.8)

    assert math.isfinite(difference)
    assert_allclose(compute_power(difference, 1.0, degrees_of_freedom, alpha), 0.8, rtol=1e-8)


def test_limit_power_where_scipy_returns_no_number() -> None:
    """T > c for a huge c says chi^2_1 < (shift / c)^2: for shift = c the chance is 0.6827."""
    critical = -float(stdtrit(1, 1e-9 / 2))

    assert math.isnan(nctdtr(1, critical, critical))
    assert_allclose(compute_power(critical, 1.0, 1.0, 1e-9), 0.6826894921, rtol=1e-8)


@pytest.mark.parametrize("degrees", [None, 4.0])
@pytest.mark.parametrize("margin", [1e9, 1e300])
def test_degenerate_a_level_near_0_has_all_power_for_a_huge_margin(
    degrees: float | None, margin: float
) -> None:
    # 1 - 1e-12 is so near to 1 that the critical value is 0
    assert compute_power(margin, 1.0, degrees, 1 - 1e-17) == 1.0


def test_degenerate_an_evaluation_of_level_near_0_with_a_huge_margin_has_a_verdict() -> None:
    rng = np.random.default_rng(0)
    result = evaluate_losses(
        {"a": rng.random(30), "b": rng.random(30)},
        block=[i % 5 for i in range(30)],
        level=1e-12,
        margin=1e9,
    )

    (comparison,) = result.comparisons
    assert isinstance(comparison, Comparison)
    detectable = comparison.verdict.detectable
    assert detectable is not None
    assert detectable.power_at_margin == 1.0
