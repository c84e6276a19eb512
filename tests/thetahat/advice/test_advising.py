"""Advice before an evaluation: the scheme, what it rests on, and the precision to expect."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

import thetahat
from thetahat.advice import Situation, advise
from thetahat.advice.rules import RULES, choose_rule
from thetahat.analyses.losses.power import compute_power
from thetahat.analyses.losses.result import Comparison
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.schemes import SCHEMES
from thetahat.values.json_values import to_json

CASES: list[tuple[str, dict[str, Any], str, dict[str, Any]]] = [
    ("few rows", {"n": 30}, "leave_one_out", {}),
    ("repeated folds", {"n": 31}, "repeated_k_fold", {"n_folds": 10, "n_repeats": 5}),
    (
        "repeated folds",
        {"n": 400, "class_counts": {"ill": 100, "well": 300}},
        "stratified_repeated_k_fold",
        {"n_folds": 10, "n_repeats": 5},
    ),
    (
        "repeated folds",
        {"n": 400, "class_counts": {"ill": 4, "well": 396}},
        "repeated_k_fold",
        {"n_folds": 10, "n_repeats": 5},
    ),
    # 2 models x 25 seconds: 8 splits are affordable, so seven folds
    (
        "one partition",
        {"n": 200, "fit_seconds": 25, "budget_seconds": 400},
        "k_fold",
        {"n_folds": 7},
    ),
    (
        "one partition",
        {"n": 5000, "fit_seconds": 100, "budget_seconds": 800},
        "k_fold",
        {"n_folds": 3},
    ),
    (
        "few fits",
        {"n": 200, "fit_seconds": 100, "budget_seconds": 800},
        "holdout",
        {"test_size": 0.3},
    ),
    ("these models", {"n": 200, "question": "these_models"}, "holdout", {"test_size": 0.3}),
    (
        "these models",
        {"n": 200, "question": "these_models", "n_clusters": 40},
        "holdout",
        {"test_size": 0.3, "whole_clusters": True},
    ),
    ("each source left out", {"n": 80, "source_sizes": (10,) * 8}, "leave_one_source_out", {}),
    ("folds of sources", {"n": 600, "source_sizes": (10,) * 60}, "source_k_fold", {"n_folds": 10}),
    (
        "folds of sources",
        {"n": 80, "source_sizes": (10,) * 8, "fit_seconds": 1, "budget_seconds": 12},
        "source_k_fold",
        {"n_folds": 5},
    ),
    ("whole clusters", {"n": 200, "n_clusters": 40}, "source_k_fold", {"n_folds": 10}),
    ("whole clusters", {"n": 200, "n_clusters": 12}, "source_k_fold", {"n_folds": 5}),
    ("whole clusters", {"n": 200, "n_clusters": 7}, "source_k_fold", {"n_folds": 3}),
    ("order of time", {"n": 300, "time_ordered": True}, "time_series", {"n_folds": 5}),
    (
        "repeated folds",
        {"n": 80, "source_sizes": (10,) * 8, "question": "these_sources"},
        "repeated_k_fold",
        {"n_folds": 10, "n_repeats": 5},
    ),
]


@pytest.mark.parametrize(("rule", "situation", "scheme", "parameters"), CASES)
def test_by_hand_the_scheme(
    rule: str, situation: dict[str, Any], scheme: str, parameters: dict[str, Any]
) -> None:
    assert choose_rule(Situation(**situation)).name == rule

    advice = advise(**situation)

    assert advice.scheme.name == scheme
    assert advice.scheme.parameters == parameters
    assert advice.request["scheme"]["name"] == scheme  # type: ignore[index, call-overload]
    assert all(reason.sources for reason in advice.scheme.reasons)


def test_exact_every_rule_is_tried() -> None:
    assert {case[0] for case in CASES} == {rule.name for rule in RULES}


def test_limit_a_holdout_has_the_half_width_of_its_mean() -> None:
    advice = advise(n=1000, question="these_models", loss_spread=1.0, correlation=0.75)

    precision = advice.precision
    assert precision is not None
    # 300 test rows; twelve draws of a standard deviation of 300 values are within 2 %
    half = stats.t.ppf(0.975, 299) / math.sqrt(300)
    assert_allclose(precision.half_width, half, rtol=0.03)
    # Var(a - b) = 2 (1 - 0.75) Var(a)
    assert precision.half_width_of_difference is not None
    assert_allclose(precision.half_width_of_difference, half * math.sqrt(0.5), rtol=0.03)


def test_limit_repeated_folds_have_the_half_width_of_the_corrected_variance() -> None:
    precision = advise(n=1000, expected_error=0.2).precision

    assert precision is not None
    # (1/50 + 1/9) S^2 with S^2 = 0.16 / 100 and at most seven degrees of freedom
    half = stats.t.ppf(0.975, 7) * math.sqrt((1 / 50 + 1 / 9) * 0.16 / 100)
    assert_allclose(precision.half_width, half, rtol=0.1)


def test_limit_beyond_the_rows_of_a_trial_the_width_falls_with_the_root_of_n() -> None:
    few, many = (advise(n=n, loss_spread=1.0).precision for n in (10_000, 1_000_000))

    assert few is not None
    assert many is not None
    assert_allclose(few.half_width / many.half_width, 10, rtol=1e-6)


def test_limit_sources_that_differ_keep_their_spread_however_many_rows() -> None:
    precision = advise(
        n=1_000_000, source_sizes=(50_000,) * 20, between_sources=0.1, loss_spread=1.0
    ).precision

    assert precision is not None
    # (1/20 + 1/19) 0.1^2, twelve draws of a variance of 20 sources: 20 %
    half = stats.t.ppf(0.975, 19) * math.sqrt((1 / 20 + 1 / 19) * 0.01)
    assert_allclose(precision.half_width, half, rtol=0.25)


def test_exact_the_detectable_difference_has_the_power_after_the_correction() -> None:
    options = {"n": 300, "n_models": 3, "loss_spread": 1.0}
    first = advise(**options).precision
    assert first is not None
    assert first.detectable_difference is not None

    again = advise(**options, margin=first.detectable_difference).precision

    assert again is not None
    assert again.power_at_margin is not None
    assert_allclose(again.power_at_margin, 0.8, rtol=1e-6)
    alone = advise(n=300, n_models=2, loss_spread=1.0).precision
    assert alone is not None
    assert alone.detectable_difference is not None
    assert alone.detectable_difference < first.detectable_difference
    # one standard error of the difference is its half-width over the quantile
    error = (first.half_width_of_difference or 0) / stats.t.ppf(0.975, 7)
    power = compute_power(first.detectable_difference, error, 7, 0.05 / 3)
    assert_allclose(power, 0.8, rtol=1e-6)


def test_exact_a_single_model_is_not_compared() -> None:
    advice = advise(n=100, n_models=1)

    assert advice.test is None
    assert advice.precision is not None
    assert advice.precision.half_width_of_difference is None
    assert advice.scheme.n_fits == 50


def test_exact_the_interval_is_the_one_that_an_evaluation_recommends() -> None:
    advice = advise(n=200, expected_error=0.3, fit_seconds=1, budget_seconds=30)
    losses = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0] * 30
    result = thetahat.evaluate(
        {"a": losses[:200], "b": losses[3:203]}, block=[i % 10 for i in range(200)]
    )

    recommended = result.models["a"].recommended[thetahat.Target.THESE_SOURCES]
    assert advice.interval is not None
    assert (advice.interval.method, advice.interval.variance) == (
        recommended.method,
        recommended.variance,
    )
    assert advice.interval.expected_coverage == recommended.expected_coverage
    assert advice.test is not None
    pair = result.comparisons[0]
    assert isinstance(pair, Comparison)
    assert advice.test.expected_size == pair.verdict.expected_size


def test_degenerate_a_holdout_for_lack_of_time_says_what_it_cannot_show() -> None:
    advice = advise(n=500, fit_seconds=100, budget_seconds=250)

    assert advice.interval is not None
    assert advice.interval.target is thetahat.Target.THESE_MODELS
    assert any("No interval about these_sources" in caution for caution in advice.cautions)


@pytest.mark.parametrize(
    ("situation", "field", "value", "words"),
    [
        ({"n": 1}, "n", 1, "from 2"),
        ({"n": 10, "source_sizes": (5, 6)}, "source_sizes", 11, "add up to n, which is 10"),
        ({"n": 10, "class_counts": {"a": 1, "b": 2}}, "class_counts", 3, "add up to n"),
        ({"n": 10, "class_counts": {"a": 10}}, "class_counts", {"a": 10}, "two classes"),
        ({"n": 10, "n_clusters": 11}, "n_clusters", 11, "from 2 to n"),
        ({"n": 10, "question": "new_source"}, "question", "new_source", "needs source_sizes"),
        ({"n": 10, "question": "new_population"}, "question", "new_population", "one of"),
        ({"n": 10, "budget_seconds": 5}, "budget_seconds", 5, "needs fit_seconds"),
        ({"n": 10, "expected_error": 1.0}, "expected_error", 1.0, "from 1e-09"),
        (
            {"n": 10, "expected_error": 0.2, "loss_spread": 1},
            "loss_spread",
            1,
            "cannot both be given",
        ),
        ({"n": 10, "margin": 0.0}, "margin", 0.0, "from 1e-100"),
        ({"n": 10, "loss_spread": 1e160}, "loss_spread", 1e160, "to 1e"),
        ({"n": 2, "time_ordered": True}, "n", 2, "3 or more"),
        ({"n": 10, "level": 0.2}, "level", 0.2, "0.5 or above"),
        ({"n": 10, "level": 1.0}, "level", 1.0, "above 0"),
        ({"n": 10, "time_ordered": True, "n_clusters": 5}, "time_ordered", True, "order of time"),
        ({"n": 10, "source_sizes": (5, 5), "n_clusters": 5}, "n_clusters", 5, "keep one of them"),
    ],
)
def test_invalid_the_message_names_field_and_value(
    situation: dict[str, Any], field: str, value: Any, words: str
) -> None:
    with pytest.raises(InvalidParameter, match=words) as caught:
        advise(**situation)

    assert caught.value.loc == (field,)
    assert caught.value.value == value


def test_invalid_an_unknown_field_is_named() -> None:
    with pytest.raises(InvalidParameter, match="rows"):
        advise(rows=100)


@st.composite
def situations(draw: st.DrawFn) -> dict[str, Any]:
    sizes = draw(st.lists(st.integers(1, 40), min_size=2, max_size=12))
    n = sum(sizes)
    known: dict[str, Any] = {"n": n, "n_models": draw(st.integers(1, 4))}
    groups = draw(st.sampled_from(["none", "sources", "clusters", "time"]))
    if groups == "sources":
        known["source_sizes"] = tuple(sizes)
    elif groups == "clusters":
        known["n_clusters"] = draw(st.integers(2, n))
    elif groups == "time":
        known["time_ordered"] = True
    if draw(st.booleans()) and n >= 3:
        first = draw(st.integers(1, n - 1))
        known["class_counts"] = {"x": first, "y": n - first}
    if draw(st.booleans()):
        known["fit_seconds"] = 1.0
        known["budget_seconds"] = draw(st.sampled_from([1.0, 7.0, 30.0, 500.0]))
    if draw(st.booleans()):
        known["question"] = draw(st.sampled_from(["these_models", "these_sources"]))
    return known


@settings(max_examples=15, deadline=None)
@given(known=situations())
def test_property_every_situation_gets_an_answer_within_its_budget(known: dict[str, Any]) -> None:
    advice = advise(**known)

    method: Any = SCHEMES[advice.scheme.name]
    method(**advice.scheme.parameters)
    seconds, budget = advice.scheme.seconds, known.get("budget_seconds")
    within = seconds is None or budget is None or seconds <= budget
    assert within or any("budget" in caution for caution in advice.cautions)
    to_json(advice)
    if advice.precision is not None:
        assert 0 < advice.precision.half_width < math.inf


def test_invalid_situations_are_evaluation_errors() -> None:
    with pytest.raises(EvaluationError):
        advise(n=0)
