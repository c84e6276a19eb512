from __future__ import annotations

import json
from typing import Any

import pytest

from tests.thetahat.analyses.losses.tables import (
    five_by_nine,
    named,
    normal_table,
    result_of,
    scores_of,
    table_of,
)
from thetahat.analyses.losses.comparisons import find_basis
from thetahat.analyses.losses.recommendation import BuiltInterval, recommend
from thetahat.analyses.losses.rules import RULES, ListedRule, list_rules
from thetahat.intervals import INTERVALS
from thetahat.intervals.base import Interval
from thetahat.refit_estimators import EVERY_INTERVAL, EVERY_VARIANCE, REFIT_ESTIMATORS
from thetahat.values.json_values import to_json
from thetahat.values.layout import build_layout
from thetahat.values.types import Alternative, BlockKind, MeanKind, Target
from thetahat.variances import VARIANCES


def built(method: str, variance: str | None, target: Target) -> BuiltInterval:
    interval = Interval(
        method=method,
        variance=variance,
        target=target,
        mean=MeanKind.MACRO,
        estimate=0.0,
        standard_error=1.0,
        level=0.95,
        alternative=Alternative.TWO_SIDED,
        lower=-2.0,
        upper=2.0,
        degrees_of_freedom=None,
    )
    return BuiltInterval(
        interval,
        EVERY_INTERVAL[method].info,
        None if variance is None else EVERY_VARIANCE[variance].info,
    )


def best_of(result: dict[str, Any], model: str = "nb") -> dict[str, tuple[str, str | None]]:
    intervals = result["models"][model]["intervals"]
    return {i["target"]: (i["method"], i["variance"]) for i in intervals if i["recommended"]}


def listed() -> tuple[ListedRule, ...]:
    intervals, variances = EVERY_INTERVAL.values(), EVERY_VARIANCE.values()
    return list_rules([m.info for m in intervals], [m.info for m in variances])


def first_of(kind: BlockKind, target: Target, n: int = 1) -> list[tuple[str, str | None]]:
    (rule,) = (
        rule
        for rule in listed()
        if (rule.blocks, rule.target, rule.only_fixed_models) == (kind, target, False)
    )
    order = (*rule.where_asked, *rule.order)
    return [(pair.interval, pair.variance) for pair in order[:n]]


def test_exact_rules_are_data() -> None:
    data = to_json(listed())
    assert isinstance(data, list)

    assert json.loads(json.dumps(data)) == data
    first: Any = data[0]
    assert (first["blocks"], first["target"]) == ("random", "these_sources")
    assert [(pair["interval"], pair["variance"]) for pair in first["order"][:9]] == [
        ("skewness_corrected", "cluster_robust_corrected"),
        ("student_t", "cluster_robust_corrected"),
        ("skewness_corrected", "nadeau_bengio_calibrated"),
        ("tango_folds", None),
        ("normal", "cluster_robust_corrected"),
        ("skewness_corrected", "instances_with_allowance"),
        ("student_t", "instances_with_allowance"),
        ("student_t", "nadeau_bengio_calibrated"),
        ("skewness_corrected", "nadeau_bengio"),
    ]
    assert all(rule.reason for rule in listed())


def test_property_rules_name_each_case_once_and_only_methods_of_a_fitting_kind() -> None:
    cases = {(rule.blocks, rule.target, rule.only_fixed_models) for rule in RULES}
    assert len(cases) == len(RULES)
    for rule in listed():
        for pair in rule.order:
            interval = INTERVALS[pair.interval].info
            assert not interval.interval.is_prediction
            assert rule.blocks in interval.blocks
            if pair.variance is not None:
                variance = VARIANCES[pair.variance].info
                assert not variance.never_recommended
                assert rule.blocks in variance.blocks
                assert rule.target in variance.targets
        for pair in rule.where_asked:
            assert pair.interval in {**INTERVALS, **REFIT_ESTIMATORS}
            assert pair.variance is not None
            assert rule.blocks in REFIT_ESTIMATORS[pair.variance].info.blocks
            assert rule.target in REFIT_ESTIMATORS[pair.variance].info.targets


def test_exact_every_rank_belongs_to_one_rule() -> None:
    """A rank that no rule lists would be used, and never shown."""
    cases = {(rule.blocks, rule.target) for rule in RULES}
    for method in {**EVERY_INTERVAL, **EVERY_VARIANCE}.values():
        for place in method.info.recommended:
            assert {(kind, place.target) for kind in place.blocks} <= cases
            assert not method.info.never_recommended


@pytest.mark.parametrize("name", ["location_shifted_bootstrap", "two_stage_bootstrap"])
def test_exact_intervals_that_cover_far_too_rarely_are_never_recommended(name: str) -> None:
    method = REFIT_ESTIMATORS[name].info
    alone = BuiltInterval(built("percentile", None, Target.THESE_SOURCES).interval, method, method)
    (marked,) = recommend(BlockKind.HOLDOUT, [alone])
    assert not marked.interval.recommended


def test_exact_what_was_asked_for_and_fitted_again_goes_first() -> None:
    for kind, target, first in [
        (BlockKind.RANDOM, Target.THESE_MODELS, ("bates_nested_cv", "bates_nested_cv")),
        (BlockKind.RANDOM, Target.THESE_SOURCES, ("bccv_percentile", "bccv_percentile")),
        (BlockKind.HOLDOUT, Target.THESE_SOURCES, ("bccv_percentile", "bccv_percentile")),
    ]:
        assert first_of(kind, target) == [first]
    assert first_of(BlockKind.RANDOM, Target.THESE_SOURCES, 2)[1] == ("normal", "out_of_bag")


@pytest.mark.parametrize(
    ("available", "best"),
    [
        (["theta_4", "theta_3", "nadeau_bengio"], "nadeau_bengio"),
        (["theta_4", "theta_5", "theta_3"], "theta_3"),
        (["theta_5", "theta_4"], "theta_4"),
        (["theta_2", "theta_5", "quadratic"], "quadratic"),
        (["theta_2", "theta_5", "theta_1"], None),
    ],
)
def test_exact_order_of_random_folds(available: list[str], best: str | None) -> None:
    entries = [built("student_t", name, Target.THESE_SOURCES) for name in available]

    recommended = recommend(BlockKind.RANDOM, entries)

    names = [b.variance and b.variance.name for b in recommended]
    assert names == available  # the order stays
    marked = [name for name, b in zip(names, recommended, strict=True) if b.interval.recommended]
    assert marked == [best] * (best is not None)


def test_exact_an_interval_outside_the_rule_has_a_caution() -> None:
    (inside,) = recommend(BlockKind.RANDOM, [built("normal", "bayle_within", Target.THESE_MODELS)])
    (outside,) = recommend(
        BlockKind.RANDOM, [built("normal", "cluster_bootstrap", Target.THESE_MODELS)]
    )

    assert inside.interval.cautions == ()
    assert [c.code for c in outside.interval.cautions] == ["outside_the_rule"]


def test_exact_prediction_comes_last() -> None:
    prediction = built("prediction", "theta_gamma", Target.NEW_SOURCE)
    other = built("percentile", None, Target.NEW_SOURCE)

    both = recommend(BlockKind.SOURCE, [prediction, other])
    assert [b.interval.recommended for b in both] == [False, True]
    (alone,) = recommend(BlockKind.SOURCE, [prediction])
    assert alone.interval.recommended


def test_exact_targets_do_not_compete() -> None:
    recommended = recommend(
        BlockKind.SOURCE,
        [
            built("student_t", "theta_A", Target.THESE_SOURCES),
            built("student_t", "theta_gamma", Target.NEW_SOURCE),
            built("student_t", "theta_B", Target.THESE_SOURCES),
        ],
    )

    assert [b.interval.recommended for b in recommended] == [False, True, True]


def test_degenerate_no_interval_was_built() -> None:
    assert recommend(BlockKind.RANDOM, []) == []


def test_exact_named_methods_fall_down_the_order() -> None:
    table = five_by_nine(BlockKind.RANDOM)

    only = result_of(table, variances=named("variances", "theta_4", "theta_3"))
    assert best_of(only) == {"these_sources": ("student_t", "theta_3")}
    normal = result_of(table, intervals=named("intervals", "normal"))
    assert best_of(normal)["these_models"] == ("normal", "bayle_within")
    never = result_of(table, variances=named("variances", "theta_5"))
    assert best_of(never) == {}
    verdict = never["comparisons"][0]["verdict"]
    assert verdict["decision"] == "undecided"
    assert never["comparisons"][0]["interval"] is None


def test_exact_keys_replace_names() -> None:
    (chosen,) = named("variances", "theta_gamma")
    (method,) = named("intervals", "student_t")
    (prediction,) = named("intervals", "prediction")
    table = five_by_nine(BlockKind.SOURCE)

    result = result_of(
        table,
        variances=(chosen._replace(key="mine"),),
        intervals=(method._replace(key="t"), prediction),
    )
    assert best_of(result) == {"new_source": ("t", "mine")}
    assert list(result["models"]["nb"]["variances"]) == ["mine"]
    assert result["comparisons"][0]["interval"]["method"] == "t"
    shown = [(i["method"], i["variance"]) for i in result["models"]["nb"]["intervals"]]
    assert ("prediction", "mine") in shown


@pytest.mark.parametrize(
    ("kind", "interval", "target"),
    [
        (BlockKind.HOLDOUT, "wilson", "these_models"),
        (BlockKind.SOURCE, "prediction", "new_source"),
    ],
)
def test_exact_a_difference_has_a_t_interval_where_it_cannot_have_the_named_one(
    kind: BlockKind, interval: str, target: str
) -> None:
    result = result_of(five_by_nine(kind), intervals=named("intervals", interval))

    (comparison,) = result["comparisons"]
    assert comparison["interval"]["method"] == "student_t"
    assert comparison["interval"]["target"] == target
    assert comparison["verdict"]["p_value"] is not None
    assert {i["method"] for i in result["models"]["nb"]["intervals"]} == {interval}


def test_degenerate_a_verdict_never_rests_on_a_prediction() -> None:
    assert find_basis(built("prediction", "theta_gamma", Target.NEW_SOURCE)) is None
    assert find_basis(built("student_t", "theta_gamma", Target.NEW_SOURCE)) is not None


def test_exact_wilson_needs_no_variance() -> None:
    layout = build_layout(BlockKind.HOLDOUT, [0] * 9)
    table = table_of(layout, {"a": [0, 0, 1, 0, 0, 0, 1, 0, 0]})

    without = result_of(table, variances=(), intervals=named("intervals", "wilson"))
    beside = result_of(table, intervals=named("intervals", "wilson"))
    (first,), (other,) = (r["models"]["a"]["intervals"] for r in (without, beside))
    assert (first["lower"], first["upper"]) == (other["lower"], other["upper"])
    assert first["recommended"]
    assert other["recommended"]


def test_exact_verdict_falls_to_a_target_that_there_is() -> None:
    table = five_by_nine(BlockKind.SOURCE)

    verdict = result_of(table, variances=named("variances", "theta_B"))["comparisons"][0]["verdict"]
    assert verdict["target"] == "these_sources"
    assert verdict["variance"] == "theta_B"


@pytest.mark.parametrize(
    ("kind", "target", "variance"),
    [
        (BlockKind.RANDOM, Target.THESE_MODELS, "bayle_within_calibrated"),
        (BlockKind.RANDOM, Target.THESE_SOURCES, "instances_with_allowance"),
        (BlockKind.SOURCE, Target.THESE_SOURCES, "theta_B"),
        (BlockKind.SOURCE, Target.NEW_SOURCE, "nadeau_bengio"),
    ],
)
def test_exact_target_of_the_verdict(kind: BlockKind, target: Target, variance: str) -> None:
    comparison = result_of(normal_table(6, kind), target=target)["comparisons"][0]

    assert comparison["interval"]["target"] == target.value
    assert comparison["verdict"]["target"] == target.value
    assert comparison["verdict"]["variance"] == variance


def test_degenerate_asked_target_that_could_not_be_built() -> None:
    table = scores_of({"a": [0.1, 0.2, 0.4], "b": [0.2, 0.2, 0.3]})

    comparison = result_of(table, target=Target.THESE_MODELS)["comparisons"][0]
    assert comparison["interval"] is None
    assert comparison["verdict"]["decision"] == "undecided"
