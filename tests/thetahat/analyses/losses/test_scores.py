"""Scores of which higher values are better give the mirrored result of the losses 1 - score."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.cases import case
from tests.thetahat.analyses.losses.tables import evaluated, evaluated_with_weights, table_of
from thetahat.analyses.losses import Choices, ChosenMethod
from thetahat.intervals import INTERVALS
from thetahat.multiple_tests import MULTIPLE_TESTS
from thetahat.paired_tests import PAIRED_TESTS
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import Layout, build_layout, build_score_layout
from thetahat.values.types import BlockKind
from thetahat.values.words import choose_words
from thetahat.variances import VARIANCES
from thetahat.weighted_risks import WEIGHTED_RISKS

SIDES: Final = {"two_sided": "two_sided", "less": "greater", "greater": "less"}
OF_RAW_MOMENTS: Final = {"theta_1", "theta_omega_k", "theta_gamma_kl", "quadratic"}
"""Variances whose value for one model depends on where the losses have their zero."""


def _layouts() -> dict[str, Layout]:
    block = np.repeat(np.arange(6), 8)
    row = np.concatenate([np.arange(8) + 3 * split for split in range(6)])
    return {
        "random": build_layout(BlockKind.RANDOM, block, n_train=40.0),
        "random_clusters": build_layout(
            BlockKind.RANDOM, block, n_train=40.0, cluster=np.arange(48) // 4
        ),
        "leave_one_out": build_layout(BlockKind.RANDOM, np.arange(48), n_train=47.0),
        "repeats": build_layout(
            BlockKind.RANDOM,
            np.tile(block, 2),
            repeat=np.repeat([0, 1], 48),
            instance=np.tile(np.arange(48), 2),
        ),
        "five_by_two": build_layout(
            BlockKind.RANDOM,
            np.tile(np.repeat([0, 1], 10), 5),
            repeat=np.repeat(np.arange(5), 20),
            instance=np.tile(np.arange(20), 5),
        ),
        "source": build_layout(BlockKind.SOURCE, block),
        "sources_elsewhere": build_layout(BlockKind.SOURCE, block, n_train=0),
        "source_clusters": build_layout(BlockKind.SOURCE, block, cluster=np.arange(48) // 2),
        "holdout": build_layout(BlockKind.HOLDOUT, np.zeros(48, dtype=np.intp)),
        "holdout_clusters": build_layout(
            BlockKind.HOLDOUT, np.zeros(48, dtype=np.intp), cluster=np.arange(48) // 3
        ),
        "holdout_in_time": build_layout(
            BlockKind.HOLDOUT, np.zeros(48, dtype=np.intp), time=np.arange(48)
        ),
        "subsamples": build_layout(BlockKind.SUBSAMPLES, block, instance=row, n_train=30.0),
        "split_scores": build_score_layout(
            BlockKind.RANDOM, np.full(10, 90.0), np.full(10, 10.0), 5, 2
        ),
    }


LAYOUTS: Final = _layouts()


def scores_on(layout: Layout, *, zero_one: bool) -> LossTable:
    """Return three models' scores, where m0 is best and m2 worst."""
    rng = np.random.default_rng(20_261_122)
    n = layout.n_rows if layout.has_rows else layout.n_splits
    shared = rng.random(n)
    drawn = {f"m{i}": 0.6 * shared + 0.3 * rng.random(n) - 0.11 * i for i in range(3)}
    if zero_one:
        drawn = {name: (values > 0.28).astype(np.float64) for name, values in drawn.items()}
    if layout.has_rows:
        return table_of(layout, drawn, higher_is_better=True)
    models = {name: BlockLosses(layout, scores=values) for name, values in drawn.items()}
    return LossTable(layout, models).with_words(choose_words(layout.kind, higher_is_better=True))


def as_losses(table: LossTable) -> LossTable:
    """Return 1 - score of every score."""
    models = {
        name: BlockLosses(
            table.layout,
            values=None if model.values is None else 1 - model.values,
            scores=None if model.scores is None else 1 - model.scores,
        )
        for name, model in table.models.items()
    }
    return replace(table, models=models).with_words(choose_words(table.layout.kind))


def compare_intervals(of_scores: list[Any], of_losses: list[Any], origin: float) -> None:
    """Compare intervals that are mirrored about ``origin`` / 2."""
    assert len(of_scores) == len(of_losses)
    for first, other in zip(of_scores, of_losses, strict=True):
        assert (first["method"], first["variance"]) == (other["method"], other["variance"])
        assert first["target"] == other["target"]
        assert first.get("recommended") == other.get("recommended")
        assert first["alternative"] == SIDES[other["alternative"]]
        # bca counts the resamples below the estimate; those equal to it are rounded to either side
        atol = 0.01 if first["method"] == "bca" else 1e-10
        with case(f"{first['method']} on {first['variance']}"):
            assert_close(first["estimate"], origin - other["estimate"])
            assert_close(first["standard_error"], other["standard_error"])
            assert first["degrees_of_freedom"] == pytest.approx(other["degrees_of_freedom"])
            for end, opposite in (("lower", "upper"), ("upper", "lower")):
                mirrored = None if other[opposite] is None else origin - other[opposite]
                assert_close(first[end], mirrored, atol)


def assert_close(ours: Any, other: Any, atol: float = 1e-10) -> None:
    """Compare two numbers or None; the two are computed from values that were rounded apart."""
    assert (ours is None) == (other is None), (ours, other)
    if ours is not None:
        assert_allclose(ours, other, rtol=1e-7, atol=atol)


def assert_values_close(ours: Any, other: Any) -> None:
    """Compare two variances: numbers, or arrays with None where one is undefined."""
    numbers = np.array(ours, dtype=np.float64)
    assert_allclose(numbers, np.array(other, dtype=np.float64), rtol=1e-7, atol=1e-14)


def compare_tests(of_scores: Any, of_losses: Any) -> None:
    """Compare the tests of a pair: p-values are equal, statistics are equal or change sign."""
    assert of_scores.keys() == of_losses.keys()
    for name, test in of_scores.items():
        with case(name):
            other = of_losses[name]
            assert_close(test["p_value"], other["p_value"])
            assert_close(test.get("p_value_adjusted"), other.get("p_value_adjusted"))
            assert test["degrees_of_freedom"] == pytest.approx(other["degrees_of_freedom"])
            for key, opposite in (("p_left", "p_right"), ("p_rope", "p_rope")):
                # simulated ones: 7 standard errors of a difference of two
                assert_close(test.get(key), other.get(opposite), _simulation_error(test))
            for key in ("a_better", "b_better"):
                assert test.get(key) == other.get(key)


def _simulation_error(outcome: Any) -> float:
    error = outcome.get("monte_carlo_error")
    return 1e-10 if error is None else 7 * max(error, 1 / outcome["n_draws"]) * 2**0.5


def compare_pairs(of_scores: list[Any], of_losses: list[Any]) -> None:
    """Compare all comparisons."""
    for first, other in zip(of_scores, of_losses, strict=True):
        assert (first["a"], first["b"]) == (other["a"], other["b"])
        assert_close(first["difference"], -other["difference"])
        assert_close(first["difference_pooled"], -other["difference_pooled"])
        compare_intervals(first["intervals"], other["intervals"], 0.0)
        compare_tests(first["tests"], other["tests"])
        for key, sign in (
            ("value", -1),
            ("hedges_g", -1),
            ("rank_biserial", -1),
            ("probability_of_superiority", 1),
        ):
            number = other["effect_size"][key]
            assert_close(first["effect_size"][key], None if number is None else sign * number)
        for name, estimate in first["variances"].items():
            with case(name):
                assert_values_close(estimate["value"], other["variances"][name]["value"])
        judged, mirrored = first["verdict"], other["verdict"]
        for key in ("decision", "also", "target", "method", "variance", "plan_reason", "margin"):
            assert judged[key] == mirrored[key], key
        for key in ("p_value", "p_value_equivalent", "p_value_not_worse", "p_value_adjusted"):
            assert_close(judged.get(key), mirrored.get(key))
        assert (judged["plan"] is None) == (mirrored["plan"] is None)
        if judged["plan"] is not None:
            assert judged["plan"]["total"] == mirrored["plan"]["total"]
            assert judged["plan"]["sentence"] == mirrored["plan"]["sentence"]


def compare_omnibus(of_scores: Any, of_losses: Any) -> None:
    """Compare the tests of all models at once."""
    assert of_scores.keys() == of_losses.keys()
    for name, outcome in of_scores.items():
        other = of_losses[name]
        with case(name):
            for key in ("statistic", "p_value"):
                assert_close(outcome[key], other[key])
            for key in ("set", "tied", "tied_with", "eliminated", "error_counts"):
                assert outcome.get(key) == other.get(key)
            for key in ("mcs_p_values", "p_values", "mean_ranks", "average_ranks"):
                for model, value in outcome.get(key, {}).items():
                    assert_close(value, other[key][model])
            if "mean_scores" in outcome:
                for model, value in outcome["mean_scores"].items():
                    assert_close(value, 1 - other["mean_losses"][model])
            if "diagram" in outcome:
                assert outcome["diagram"]["groups"] == other["diagram"]["groups"]


def compare_results(of_scores: Any, of_losses: Any) -> None:
    """Compare everything in a result."""
    assert of_scores["summary"]["best_model"] == of_losses["summary"]["best_model"]
    assert [m["name"] for m in of_scores["summary"]["models"]] == [
        m["name"] for m in of_losses["summary"]["models"]
    ]
    assert of_scores["summary"]["decisions"] == of_losses["summary"]["decisions"]
    for name, model in of_scores["models"].items():
        other = of_losses["models"][name]
        assert_close(model["mean"]["macro"], 1 - other["mean"]["macro"])
        assert_close(model["mean"]["pooled"], 1 - other["mean"]["pooled"])
        with case(name):
            compare_intervals(model["intervals"], other["intervals"], 1.0)
        for key, estimate in model["variances"].items():
            if key not in OF_RAW_MOMENTS:
                with case(key):
                    assert_values_close(estimate["value"], other["variances"][key]["value"])
    compare_pairs(of_scores["comparisons"], of_losses["comparisons"])
    compare_omnibus(of_scores["omnibus"], of_losses["omnibus"])
    assert [e["name"] for e in of_scores["not_applicable"]] == [
        e["name"] for e in of_losses["not_applicable"]
    ]


EVERY_LAYOUT: Final = pytest.mark.parametrize("layout", LAYOUTS)


@EVERY_LAYOUT
@pytest.mark.parametrize(("zero_one", "alternative"), [(False, "two_sided"), (True, "less")])
def test_exact_scores_give_the_mirrored_result_of_losses(
    layout: str,
    zero_one: bool,  # noqa: FBT001 - a parameter of the test
    alternative: str,
) -> None:
    table = scores_on(LAYOUTS[layout], zero_one=zero_one)
    choices = Choices(margin=0.05, alternative=alternative)  # type: ignore[arg-type] # as requests have it

    of_scores, of_losses = (
        evaluated(each_table, choices, 3) for each_table in (table, as_losses(table))
    )

    assert of_scores["summary"]["best_model"] == "m0"
    compare_results(of_scores, of_losses)


def _methods() -> list[tuple[int, str, str]]:
    """Return the number, the family and the name of each method."""
    methods = [
        *(
            ("variances", name)
            for name, method in VARIANCES.items()
            if not (name == "quadratic" or method.info.variance.uses_judge)
        ),
        # tango_folds is for few differences, and its own test has scores
        *(("intervals", name) for name in INTERVALS if name != "tango_folds"),
        *(("tests", name) for name in PAIRED_TESTS),
        *(("omnibus", name) for name in MULTIPLE_TESTS),
    ]
    return [(number, *method) for number, method in enumerate(methods)]


@pytest.mark.parametrize(("number", "family", "name"), _methods())
def test_exact_every_method_mirrors_scores(number: int, family: str, name: str) -> None:
    """On two of its layouts, others for the next method; the default methods have all of them."""
    registries: dict[str, Any] = {
        "variances": VARIANCES,
        "intervals": INTERVALS,
        "tests": PAIRED_TESTS,
        "omnibus": MULTIPLE_TESTS,
    }
    method = registries[family][name]()
    others: dict[str, Any] = {f: () for f in registries if f not in (family, "intervals")}
    if family == "intervals":
        others.pop("variances")
    chosen = {**others, family: (ChosenMethod(name, name, method),)}
    n_models = (3,) if family == "omnibus" else ()
    places = [place for place in LAYOUTS if method.inapplicable(LAYOUTS[place], *n_models) is None]
    assert places
    for i in {number, number + len(places) // 2}:
        place = places[i % len(places)]
        with case(place):
            table = scores_on(LAYOUTS[place], zero_one=True)
            choices = Choices(margin=0.05, alternative="greater", **chosen)  # type: ignore[arg-type] # as requests have it
            of_scores, of_losses = (
                evaluated(each_table, choices, 3) for each_table in (table, as_losses(table))
            )
            compare_results(of_scores, of_losses)


@EVERY_LAYOUT
def test_exact_weighted_risks_of_scores_are_mirrored(layout: str) -> None:
    if not LAYOUTS[layout].has_rows:
        return
    table = scores_on(LAYOUTS[layout], zero_one=False)
    weights = np.random.default_rng(8).uniform(0.5, 1.5, LAYOUTS[layout].n_rows)
    weights /= weights.mean()
    choices = Choices(alternative="less")  # type: ignore[arg-type] # as requests have it

    of_scores, of_losses = (
        evaluated_with_weights(first, choices, 3, weights) for first in (table, as_losses(table))
    )

    for first, other in zip(of_scores["comparisons"], of_losses["comparisons"], strict=True):
        assert first["risks"].keys() == set(WEIGHTED_RISKS)
        for name, risk in first["risks"].items():
            with case(name):
                assert_close(risk["difference"], -other["risks"][name]["difference"])
                interval, mirrored = risk["interval"], other["risks"][name]["interval"]
                assert (interval["lower"], mirrored["upper"]) != (None, None)
                assert_close(interval["lower"], -mirrored["upper"])
    for name, model in of_scores["models"].items():
        for key, risk in model["risks"].items():
            assert risk["interval"]["upper"] is None, (name, key)
