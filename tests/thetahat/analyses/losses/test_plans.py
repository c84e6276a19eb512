from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import nctdtr, stdtrit

from tests.thetahat.analyses.losses.tables import five_by_nine, normal_table, verdict_of
from thetahat.analyses.losses.plans import plan
from thetahat.analyses.losses.power import compute_power
from thetahat.analyses.losses.result import Plan
from thetahat.analyses.losses.verdict_basis import VerdictBasis
from thetahat.values.layout import Layout, build_layout
from thetahat.values.number_text import format_to_error
from thetahat.values.types import BlockKind, FloatArray, Target
from thetahat.variances import VARIANCES

FOLDS = five_by_nine(BlockKind.RANDOM).layout
SOURCES = five_by_nine(BlockKind.SOURCE).layout
HOLDOUT = five_by_nine(BlockKind.HOLDOUT).layout


def basis(
    variance: str,
    difference: float,
    error: float,
    degrees: float | None,
    target: Target = Target.THESE_SOURCES,
) -> VerdictBasis:
    return VerdictBasis(
        difference=difference,
        standard_error=error,
        degrees_of_freedom=degrees,
        target=target,
        method="student_t",
        variance=variance,
        traits=VARIANCES[variance].info.variance,
    )


def planned(
    rests_on: VerdictBasis, layout: Layout, margin: float | None = None, power: float = 0.8
) -> Plan:
    plan_found, reason = plan(rests_on, layout, alpha=0.05, power=power, margin=margin)
    assert reason is None
    assert plan_found is not None
    return plan_found


def rejection_rate(
    draw: Callable[[np.random.Generator, int], FloatArray],
    scale: Callable[[int], float],
    seed: int,
    n: int,
    repetitions: int = 20_000,
    degrees: float | None = None,
) -> tuple[float, float]:
    """Share of t tests on n draws that reject at .05, and its Monte-Carlo error."""
    rng = np.random.default_rng(seed)
    rejected = 0
    critical = float(stdtrit(n - 1 if degrees is None else degrees, 0.975))
    for _ in range(repetitions):
        values = draw(rng, n)
        error = math.sqrt(float(values.var(ddof=1)) * scale(n))
        rejected += abs(float(values.mean())) > critical * error
    share = rejected / repetitions
    return share, math.sqrt(share * (1 - share) / repetitions)


def test_by_hand_normal_power() -> None:
    # The textbook case: 1.959964 + .841621 standard errors have power .8 at .05, two-sided
    assert_allclose(compute_power(0.28015852, 0.1, None, 0.05), 0.8, atol=1e-4)
    assert_allclose(compute_power(0.0, 0.1, None, 0.05), 0.05, rtol=1e-12)


def test_by_hand_t_power() -> None:
    # R: power.t.test(n = 20, delta = 0.5, sd = 1, type = "one.sample") prints .5644829, which
    # leaves out the far tail: P(T < -2.093) at a shift of .5 sqrt(20), here 2e-5
    far_tail = float(nctdtr(19, 0.5 * math.sqrt(20), stdtrit(19, 0.025)))

    assert far_tail < 1e-4
    power = compute_power(-0.5, 1 / math.sqrt(20), 19.0, 0.05)
    assert_allclose(power - far_tail, 0.5644829, atol=1e-7)


def test_limit_many_degrees_are_normal() -> None:
    assert_allclose(
        compute_power(0.2, 0.1, 1e9, 0.05), compute_power(0.2, 0.1, None, 0.05), atol=1e-6
    )


def test_degenerate_non_central_t_without_a_number_is_normal() -> None:
    assert compute_power(1e6, 1.0, 4.0, 0.05) == pytest.approx(1.0, abs=1e-12)


def test_calibrated_sources() -> None:
    """The planned number of sources has the asked power, and one less has not."""
    b = 0.04
    design = planned(basis("theta_gamma", 0.1, math.sqrt(b / 5), 4.0, Target.NEW_SOURCE), SOURCES)

    assert design.unit == "sources"
    assert design.additional == design.total - 5
    n = design.total
    claimed = compute_power(0.1, math.sqrt(b / n), n - 1.0, 0.05)
    assert compute_power(0.1, math.sqrt(b / (n - 1)), n - 2.0, 0.05) < 0.8 <= claimed
    share, error = rejection_rate(
        lambda rng, k: rng.normal(0.1, math.sqrt(b), k), lambda k: 1 / k, 3_120, n
    )
    assert abs(share - claimed) < 4 * error  # fails for 1 seed in 16 000
    assert share > 0.78


@pytest.mark.parametrize(("n_repeats", "share"), [(1, "45 %"), (3, "21 %")])
def test_exact_repeats_are_no_plan_and_the_alternative_says_why(n_repeats: int, share: str) -> None:
    layout = build_layout(
        BlockKind.RANDOM,
        np.tile(np.repeat(np.arange(5), 9), n_repeats),
        repeat=np.repeat(np.arange(n_repeats), 45),
    )
    # by its formula (1/J + n2/n1) S^2, 100 splits would have a power of 0.8 here
    error = math.sqrt((1 / (5 * n_repeats) + 0.25) * 0.0045)

    design = planned(basis("nadeau_bengio", 0.1, error, 4.0), layout)

    assert design.unit == "instances"
    (other,) = design.alternatives
    assert (other.unit, other.additional, other.total) == ("repeats", None, None)
    assert f"up to 100 splits decided {share} of the comparisons" in str(other.reason)


@pytest.mark.parametrize("variance", ["theta_3", "theta_4", "bayle_all_pairs"])
def test_exact_a_variance_that_does_not_count_splits_has_no_repeats(variance: str) -> None:
    assert planned(basis(variance, 0.1, 0.05, 4.0), FOLDS).alternatives == ()


def test_calibrated_instances() -> None:
    """Instances of a holdout: the planned number has the asked power."""
    design = planned(basis("iid", 0.2, 1 / math.sqrt(45), 44.0, Target.THESE_MODELS), HOLDOUT)

    n = design.total
    claimed = compute_power(0.2, 1 / math.sqrt(n), n - 1.0, 0.05)
    assert design.unit == "instances"
    assert compute_power(0.2, 1 / math.sqrt(n - 1), n - 2.0, 0.05) < 0.8 <= claimed
    # the textbook n for .2 standard deviations: (1.96 + .8416)^2 / .04 = 196.2, and 2 for the t
    assert n == 199
    share, error = rejection_rate(
        lambda rng, k: rng.normal(0.2, 1.0, k), lambda k: 1 / k, 3_122, n, repetitions=10_000
    )
    assert abs(share - claimed) < 4 * error


def test_by_hand_normal_instances() -> None:
    # N' = 45 (2.8015852 * .1 / .2)^2 = 88.3, with the upper tail alone; so 89
    design = planned(basis("bayle_all_pairs", 0.2, 0.1 * math.sqrt(2), None), FOLDS)

    assert design.total == math.ceil(45 * (2.8015852 * math.sqrt(2) * 0.1 / 0.2) ** 2)


@pytest.mark.parametrize(
    ("variance", "degrees_at_90"),
    [("theta_4", 85.0), ("theta_3", 40.0), ("cluster_robust", 81.0), ("theta_A", 81.0)],
)
def test_exact_degrees_grow_with_what_they_count(variance: str, degrees_at_90: float) -> None:
    # 45 instances and 40 degrees: theta_4 counts instances; theta_3 blocks, which stay; 41
    # clusters, or instances of the source that carries the variance, become 82
    design = planned(basis(variance, 0.1, 0.05, 40.0), FOLDS)
    at_total = {"theta_4": 40.0 + design.additional, "theta_3": 40.0}.get(
        variance, 41 * design.total / 45 - 1
    )

    assert {"theta_4": 40 + 45, "theta_3": 40}.get(variance, 81) == degrees_at_90
    n = design.total
    assert compute_power(0.1, 0.05 * math.sqrt(45 / n), at_total, 0.05) >= 0.8
    less = at_total - {"theta_4": 1.0, "theta_3": 0.0}.get(variance, 41 / 45)
    assert compute_power(0.1, 0.05 * math.sqrt(45 / (n - 1)), less, 0.05) < 0.8


def test_by_hand_leave_one_out_plans_instances() -> None:
    # leave-one-out cannot be repeated, so there is no alternative
    layout = build_layout(BlockKind.RANDOM, np.arange(12))

    design = planned(basis("nadeau_bengio", 0.2, 0.08, 11.0), layout)
    assert design.unit == "instances"
    assert design.alternatives == ()
    n = design.total
    assert compute_power(0.2, 0.08 * math.sqrt(12 / n), n - 1.0, 0.05) >= 0.8


@pytest.mark.parametrize("n", [3, 4, 6])
def test_exact_few_sources_count_each_degree(n: int) -> None:
    """Ask for just the power that n sources have: with one degree less it would take n + 1."""
    layout = build_layout(BlockKind.SOURCE, [0, 0, 1, 1])
    power = compute_power(1.0, 0.5 / math.sqrt(n), n - 1.0, 0.05) - 1e-9
    rests_on = basis("theta_gamma", 1.0, 0.5 / math.sqrt(2), 1.0, Target.NEW_SOURCE)

    assert planned(rests_on, layout, power=power).total == n


@pytest.mark.parametrize("variance", ["theta_gamma", "nadeau_bengio"])
def test_exact_normal_intervals_plan_with_normal_power(variance: str) -> None:
    target = Target.NEW_SOURCE if variance == "theta_gamma" else Target.THESE_SOURCES
    layout = SOURCES if variance == "theta_gamma" else FOLDS

    design = planned(basis(variance, 0.11, 0.05, None, target), layout)
    n = design.total
    now = 5 if variance == "theta_gamma" else 45
    errors = [0.05 * math.sqrt(now / total) for total in (n, n - 1)]
    powers = [compute_power(0.11, error, None, 0.05) for error in errors]
    assert powers[0] >= 0.8 > powers[1]


def test_exact_margin_is_the_assumed_difference() -> None:
    rests_on = basis("iid", 0.01, 0.1, 44.0, Target.THESE_MODELS)

    observed, margin = planned(rests_on, HOLDOUT), planned(rests_on, HOLDOUT, margin=0.2)
    assert (observed.assumed_difference, observed.assumes) == (0.01, "observed")
    assert (margin.assumed_difference, margin.assumes) == (0.2, "margin")
    assert margin.total < observed.total
    assert margin.power == 0.8


def test_degenerate_no_difference_and_no_margin() -> None:
    rests_on = basis("iid", 0.0, 0.1, 44.0)

    design, reason = plan(rests_on, HOLDOUT, alpha=0.05, power=0.8, margin=None)
    assert design is None
    assert reason is not None
    assert "difference is 0" in reason


def test_degenerate_power_is_there_already() -> None:
    rests_on = basis("iid", 0.15, 0.1, None)

    design, reason = plan(rests_on, HOLDOUT, alpha=0.05, power=0.8, margin=0.3)
    assert design is None
    assert reason is not None
    assert "a chance of 85 % to show" in reason  # P(Z > 1.96 - 3) = .8508
    assert "as large as the margin" in reason


def test_degenerate_no_number_is_enough() -> None:
    design, reason = plan(
        basis("iid", 1e-12, 1.0, None), HOLDOUT, alpha=0.05, power=0.8, margin=None
    )

    assert design is None
    assert reason is not None
    assert "1 000 000 000 000" in reason


def test_exact_several_pairs_plan_at_the_strictest_step() -> None:
    two = normal_table(5, shifts=(0.0, 0.05), k=6)
    three = normal_table(5, shifts=(0.0, 0.05, 0.05), k=6)

    alone, among = verdict_of(two)["plan"], verdict_of(three)["plan"]
    uncorrected = verdict_of(three, correction="none")["plan"]
    assert alone["unit"] == among["unit"] == uncorrected["unit"]
    assert among["total"] > uncorrected["total"]


def test_exact_plan_and_verdict_write_the_same_difference() -> None:
    rests_on = basis("theta_3", -0.155_555_6, 0.071_2, 4.0)
    written = format_to_error(0.155_555_6, 0.071_2)

    assert written == "0.156"
    assert f"true difference is {written}, about" in planned(rests_on, FOLDS).sentence
    assert "true difference is 0.02, about" in planned(rests_on, FOLDS, margin=0.02).sentence
