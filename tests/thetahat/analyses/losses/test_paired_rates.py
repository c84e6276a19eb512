"""Verdicts on two models with losses of 0 and 1 on one test set."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import thetahat
from tests.thetahat.naive.paired_rates import enumerate_tables
from thetahat.analyses.losses.comparisons import find_basis_of_rates
from thetahat.analyses.losses.result import Comparison, EvaluationResult
from thetahat.analyses.losses.verdict_basis import PairedRatesBasis
from thetahat.intervals.tango import Tango
from thetahat.values.paired_counts import PairedCounts
from thetahat.values.types import Alternative


def evaluate(
    only_new: int, only_old: int, n: int, both: int = 0, **options: Any
) -> EvaluationResult:
    new, old = np.zeros(n), np.zeros(n)
    new[:only_new] = 1
    old[only_new : only_new + only_old] = 1
    new[n - both :] = old[n - both :] = 1
    options = {"better": "lower", "blocks": "holdout", **options}
    return thetahat.evaluate({"new": new, "old": old}, **options)


def compare(only_new: int, only_old: int, n: int, **options: Any) -> Comparison:
    (pair,) = evaluate(only_new, only_old, n, **options).comparisons
    assert isinstance(pair, Comparison)
    return pair


def basis(only_new: int, only_old: int, n: int) -> PairedRatesBasis:
    counts = PairedCounts(only_a=only_new, only_b=only_old, both=0, n=n)
    interval = Tango().build_from_counts(counts, 0.95, Alternative.TWO_SIDED)
    return find_basis_of_rates(interval, Tango(), counts)


# n, margin, p10, p01, the error rate of the t rule that it replaces, and Tango's, from outside
ERRORS_OF_MARGINS = [
    (20, 0.05, 0.05, 0.0, 0.358, 0.000),
    (50, 0.02, 0.02, 0.0, 0.364, 0.000),
    (50, 0.05, 0.07, 0.02, 0.096, 0.030),
    (100, 0.02, 0.02, 0.0, 0.133, 0.000),
    (100, 0.05, 0.05, 0.0, 0.118, 0.037),
    (100, 0.03, 0.04, 0.01, 0.100, 0.039),
    (200, 0.01, 0.01, 0.0, 0.134, 0.000),
    (200, 0.02, 0.025, 0.005, 0.095, 0.037),
    (500, 0.01, 0.01, 0.0, 0.123, 0.040),
    (500, 0.01, 0.02, 0.01, 0.064, 0.051),
]


@pytest.mark.outside("an enumeration with other code, in the issue about inference at the edges")
@pytest.mark.parametrize(("n", "margin", "p10", "p01", "of_t", "of_tango"), ERRORS_OF_MARGINS)
def test_exact_not_worse_errs_at_its_level(
    n: int, margin: float, p10: float, p01: float, of_t: float, of_tango: float
) -> None:
    said = sum(
        probability
        for a, b, probability in enumerate_tables(n, p10, p01)
        if basis(a, b, n).compute_p_value_of_not_worse(margin, higher_is_better=False) < 0.05
    )

    assert abs(said - of_tango) < 0.0006
    assert said < min(of_t, 0.052)


def test_gh_33_two_errors_of_500_do_not_show_a_margin_of_one_percent() -> None:
    pair = compare(2, 0, 500, margin=0.01)

    assert pair.verdict.decision == "undecided"
    # the exact 95 % upper bound of 2 of 500 is .0125
    assert_allclose(Tango().compute_ends(basis(2, 0, 500).counts, 0.05)[1], 0.0125, atol=5e-5)


def test_gh_33_four_against_none_is_undecided_as_the_tests_say() -> None:
    pair = compare(4, 0, 200)

    assert pair.verdict.decision == "undecided"
    assert pair.verdict.p_value == (pair.tests or {})["mcnemar"].p_value == 1 / 16
    assert pair.interval is not None
    assert pair.interval.lower == 0


@pytest.mark.outside("R contingencytables 3.0.0, McNemar mid-P of Cavo 2012: P = 0.034690")
def test_golden_the_verdict_takes_mid_p_and_names_the_tests_on_the_other_side() -> None:
    pair = compare(6, 16, 161, both=59)

    assert pair.verdict.p_value is not None
    assert_allclose(pair.verdict.p_value, 0.034690, atol=5e-7)
    assert (pair.verdict.decision, pair.verdict.method) == ("better", "tango")
    assert (pair.tests or {})["sign"].p_value == pytest.approx(0.052479, abs=5e-7)
    (caution,) = [c for c in pair.cautions if c.code == "tests_disagree_with_verdict"]
    assert "sign" in caution.message
    assert "mcnemar," not in caution.message


def test_exact_verdict_and_mcnemar_have_one_p_value() -> None:
    for a, b, n in [(5, 0, 50), (5, 0, 5), (12, 4, 16), (9, 2, 80), (30, 14, 400), (3, 3, 10)]:
        pair = compare(a, b, n)
        assert pair.verdict.p_value == (pair.tests or {})["mcnemar"].p_value


def test_exact_scores_and_losses_say_the_same() -> None:
    for a, b in [(9, 2), (0, 0), (1, 8)]:
        losses = np.zeros(60), np.zeros(60)
        losses[0][:a], losses[1][a : a + b] = 1, 1
        terms: dict[str, Any] = {"blocks": "holdout", "margin": 0.1}
        scores = {"new": 1 - losses[0], "old": 1 - losses[1]}
        (low,) = thetahat.evaluate(
            {"new": losses[0], "old": losses[1]}, better="lower", **terms
        ).comparisons
        (high,) = thetahat.evaluate(scores, better="higher", **terms).comparisons
        for name in ("decision", "also", "p_value", "p_value_equivalent", "p_value_not_worse"):
            assert getattr(low.verdict, name) == getattr(high.verdict, name)


def test_exact_comparisons_without_parts_rest_on_the_same_interval() -> None:
    full, small = (evaluate(9, 2, 80, include=i).comparisons[0] for i in ("all", ()))

    assert full.interval is not None
    assert small.interval is not None
    assert (small.interval.method, small.interval.lower) == ("tango", full.interval.lower)
    assert small.verdict.p_value == full.verdict.p_value


def test_exact_the_result_lists_the_methods_of_pairs() -> None:
    used = {(m.family, m.name): m.params for m in evaluate(9, 2, 80).methods}

    assert used["intervals", "tango"] == {"exact": True}
    assert ("intervals", "newcombe") in used


def test_exact_clusters_have_an_interval_of_their_own() -> None:
    cluster = np.repeat(np.arange(16), 5)
    pair = compare(9, 2, 80, cluster=cluster, margin=0.1)

    assert pair.interval is not None
    assert (pair.verdict.method, pair.interval.degrees_of_freedom) == ("tango_clusters", 15)
    assert pair.interval.details["only_a"] == 9
    assert pair.interval.details["n"] == 80
    assert pair.verdict.plan is not None
    independent = compare(9, 2, 80, margin=0.1)
    assert independent.interval is not None
    assert pair.interval.upper is not None
    assert independent.interval.upper is not None
    assert pair.interval.upper > independent.interval.upper


def test_by_hand_losses_with_other_values_are_no_rates() -> None:
    wider = compare(9, 2, 80, range=(0, 3))

    assert wider.interval is not None
    assert wider.interval.method == "student_t"


def test_exact_named_newcombe_is_the_interval_of_the_verdict() -> None:
    pair = compare(9, 2, 80, intervals=["newcombe"])

    assert pair.verdict.method == "newcombe"
    assert pair.interval is not None
    assert f"{pair.interval.upper:.3f}" in pair.verdict.reason


def test_by_hand_words_for_worse_but_within_the_margin() -> None:
    pair = compare(60, 0, 1000, both=100, margin=0.2)

    assert (pair.verdict.decision, pair.verdict.also) == ("equivalent", ("worse", "not_worse"))
    assert pair.verdict.reason.endswith("; old is better, by less than the margin.")
    same = compare(3, 3, 1000, margin=0.2)
    assert same.verdict.decision == "equivalent"
    assert "by less than the margin" not in same.verdict.reason
