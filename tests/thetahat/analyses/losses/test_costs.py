"""Costs of models: numbers and rows, which models remain, and gates."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import thetahat
from tests.cases import each
from thetahat.analyses.losses.cost_result import CostOfModel, CostOfPair
from thetahat.analyses.losses.result import EvaluationResult, GateResult
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.values.types import FloatArray

RNG = np.random.default_rng(36)
N = 120
OLD = (RNG.random(N) < 0.2) * 1.0
NEW = np.where(np.arange(N) < 3, 1 - OLD, OLD)
COSTS = RNG.lognormal(0.0, 0.8, N)
LOWER = 0.2 * COSTS * RNG.lognormal(0.0, 0.3, N)
MODELS = {"new": NEW, "old": OLD}


def run(losses: Any = MODELS, **options: Any) -> EvaluationResult:
    return thetahat.evaluate(losses, **{"blocks": "holdout", "margin": 0.1, **options})


def numbers(*values: float | None) -> FloatArray:
    return np.array(values, dtype=np.float64)


def compute_fieller(a: FloatArray, b: FloatArray, level: float = 0.95) -> tuple[float, float]:
    """Return the ratios r for which a - r b passes a t test of mean 0, as roots of a quadratic."""
    n = len(a)
    (v_a, c), (_, v_b) = np.cov(a, b) / n
    t2 = stats.t.ppf((1 + level) / 2, n - 1) ** 2
    low, high = sorted(
        np.roots(
            [
                b.mean() ** 2 - t2 * v_b,
                -2 * (a.mean() * b.mean() - t2 * c),
                a.mean() ** 2 - t2 * v_a,
            ]
        )
    )
    return float(low), float(high)


def test_by_hand_one_number_for_each_model() -> None:
    result = run(cost={"new": 0.2, "old": 1.25}, cost_unit="USD")
    pair, summary = result.comparisons[0].cost, result.cost

    assert pair is not None
    assert summary is not None
    assert_allclose(numbers(pair.ratio, pair.change), [0.16, -0.84], rtol=1e-12)  # 0.2 / 1.25
    assert (pair.method, pair.cheaper, pair.lower) == ("exact", "new", None)
    assert pair.sentence == (
        "new and old are equivalent within 0.1, and new is 84 % cheaper (0.2 against 1.25 USD)."
    )
    assert (summary.unit, summary.measured, summary.pareto) == ("USD", False, ("new",))
    assert (summary.dominated["old"].by, summary.dominated["old"].shown) == ("new", "equivalent")
    assert result.models["old"].cost == CostOfModel(mean=1.25)


def test_naive_the_ratio_of_costs_of_rows() -> None:
    result = run(cost={"new": LOWER, "old": COSTS})
    pair = result.comparisons[0].cost

    assert pair is not None
    assert_allclose(numbers(pair.ratio), LOWER.mean() / COSTS.mean(), rtol=1e-12)
    assert_allclose(numbers(pair.lower, pair.upper), [*compute_fieller(LOWER, COSTS)], rtol=1e-9)
    assert (pair.method, pair.shape, pair.cheaper) == ("fieller", "interval", "new")


def test_exact_costs_of_rows_are_evaluated_as_losses_are() -> None:
    cluster = np.repeat(np.arange(30), 4)
    result = run(cost={"new": LOWER, "old": COSTS}, cluster=cluster)
    alone = thetahat.evaluate(
        {"new": LOWER, "old": COSTS},
        blocks="holdout",
        cluster=cluster,
        better="lower",
        range=(0.0, math.inf),
        include=["relative"],
    )
    pair, relative = result.comparisons[0].cost, alone.comparisons[0].relative

    assert pair is not None
    assert relative is not None
    assert (pair.ratio, pair.lower, pair.upper) == (relative.ratio, relative.lower, relative.upper)
    for name, model in result.models.items():
        expected = next(iter(alone.models[name].recommended.values()))
        assert model.cost is not None
        assert model.cost.interval is not None
        assert model.cost.mean == expected.estimate
        assert (model.cost.interval.lower, model.cost.interval.upper) == (
            expected.lower,
            expected.upper,
        )


def test_unchanged_numbers_of_an_evaluation_without_its_costs() -> None:
    with_costs = run(cost={"new": LOWER, "old": COSTS}).to_dict()
    without = run().to_dict()

    del with_costs["cost"]
    for part in (*with_costs["models"].values(), *with_costs["comparisons"]):
        del part["cost"]
    assert with_costs == without


def find_remaining(costs: dict[str, float], shown: set[tuple[str, str]]) -> set[str]:
    """Return the largest set that keeps a model unless a cheaper one of it is as good."""
    remaining: set[str] = set()
    for name in sorted(costs, key=costs.__getitem__):
        if not any((other, name) in shown and costs[other] < costs[name] for other in remaining):
            remaining.add(name)
    return remaining


@each(
    "prices", [[1, 2, 3, 4], [4, 3, 2, 1], [2, 2, 1, 1], [3, 1, 4, 2], [1, 1, 1, 1], [2, 4, 1, 3]]
)
def test_naive_models_that_remain(prices: list[int]) -> None:
    rng = np.random.default_rng(3)
    rates = {"a": 0.1, "b": 0.12, "c": 0.4, "d": 0.7}
    losses = {name: (rng.random(150) < rate) * 1.0 for name, rate in rates.items()}
    costs = dict(zip(rates, map(float, prices), strict=True))
    result = run(losses, cost=costs, margin=0.25)
    shown = set()
    for pair in result.comparisons:
        holding = {pair.verdict.decision, *pair.verdict.also}
        if holding & {"better", "equivalent", "not_worse"}:
            shown.add((pair.a, pair.b))
        if holding & {"worse", "equivalent"}:
            shown.add((pair.b, pair.a))
        assert pair.interval is not None
        assert pair.interval.lower is not None
        if pair.interval.lower > -0.25:  # b is not worse than a by .25
            shown.add((pair.b, pair.a))

    assert result.cost is not None
    assert set(result.cost.pareto) == find_remaining(costs, shown)
    assert set(result.cost.dominated) == set(rates) - set(result.cost.pareto)
    assert all(each.by in result.cost.pareto for each in result.cost.dominated.values())


def test_exact_a_chain_of_equivalent_models_takes_away_one_at_most() -> None:
    # Each differs from the next by less than the margin, and the last from the first by more.
    n = 2000
    losses = {
        name: (np.arange(n) < errors) * 1.0
        for name, errors in (("cheap", 400), ("middle", 300), ("dear", 200))
    }
    result = run(losses, cost={"cheap": 1.0, "middle": 2.0, "dear": 3.0}, margin=0.08)

    assert result.cost is not None
    assert result.cost.pareto == ("cheap", "dear")
    assert result.cost.dominated["middle"].by == "cheap"


def test_property_the_unit_of_costs_does_not_matter() -> None:
    first = run(cost={"new": LOWER, "old": COSTS}).comparisons[0].cost
    scaled = run(cost={"new": 1000 * LOWER, "old": 1000 * COSTS}).comparisons[0].cost

    assert first is not None
    assert scaled is not None
    assert_allclose(
        numbers(first.ratio, first.lower, first.upper),
        numbers(scaled.ratio, scaled.lower, scaled.upper),
        rtol=1e-10,
    )


def judge(share: float, cost: Any, new: FloatArray = NEW, **options: Any) -> GateResult:
    gate = thetahat.Gate(model="new", against="old", cheaper_by=share, **options)
    result = run({"new": new, "old": OLD}, cost=cost, gate=gate)
    assert result.gate is not None
    return result.gate


@each(
    "share,new,old,outcome",
    [
        (0.0, 1.0, 1.0, "fail"),
        (0.0, 1.0, 1.001, "pass"),
        (0.8, 0.2, 1.0, "pass"),  # 1 - 0.8 is below 0.2 in floating point
        (0.84, 0.2, 1.25, "pass"),
        (0.85, 0.2, 1.25, "fail"),
        (0.5, 0.0, 1.0, "pass"),
        (0.5, 1.0, 0.0, "fail"),
        (0.0, 0.0, 0.0, "fail"),
    ],
)
def test_by_hand_gates_about_numbers(share: float, new: float, old: float, outcome: str) -> None:
    assert judge(share, {"new": new, "old": old}).outcome == outcome


def test_exact_a_gate_passes_only_if_quality_and_cost_do() -> None:
    worse = np.ones(N)  # wrong everywhere
    unclear = np.where(np.arange(N) < 10, 1 - OLD, OLD)
    cheap, dear = {"new": 1.0, "old": 2.0}, {"new": 2.0, "old": 1.0}
    of_quality = {"pass": NEW, "fail": worse, "undecided": unclear}
    for quality, losses in of_quality.items():
        alone = run({"new": losses, "old": OLD}, gate=thetahat.Gate(model="new", against="old"))
        assert alone.gate is not None
        assert alone.gate.outcome == quality
        for cost in (cheap, dear):
            expected = "fail" if cost is dear else quality
            gate = judge(0.2, cost, losses)
            assert gate.outcome == expected, (quality, cost)
            assert gate.undecided == (expected == "undecided")


def test_exact_a_gate_about_rows_needs_the_whole_interval() -> None:
    low, high = compute_fieller(LOWER, COSTS)
    rows = {"new": LOWER, "old": COSTS}
    for share, expected in ((1 - high - 0.01, "pass"), (1 - low + 0.01, "fail")):
        assert judge(share, rows).outcome == expected
    between = judge(1 - (low + high) / 2, rows)
    counted = judge(1 - (low + high) / 2, rows, undecided="fail")

    assert (between.outcome, between.undecided) == ("undecided", True)
    assert (counted.outcome, counted.undecided) == ("fail", True)
    assert "which counts as fail" in counted.sentence
    assert "It is not shown that new costs at least" in between.sentence


def test_exact_a_gate_about_groups_and_costs() -> None:
    groups = {"g": ["x", "y"] * (N // 2)}
    options = {"groups": groups, "margin": 0.3, "cost": {"new": 1.0, "old": 2.0}}
    for share, expected in ((0.5, "pass"), (0.6, "fail")):
        gate = thetahat.Gate(
            model="new",
            against="old",
            require="no_group_worse",  # type: ignore[arg-type]
            cheaper_by=share,
        )
        result = run(gate=gate, **options)
        assert result.gate is not None
        assert result.gate.outcome == expected
        assert result.gate.groups_failed == ()


def test_degenerate_costs_in_one_proportion_have_no_interval() -> None:
    pair = run(cost={"new": 0.5 * COSTS, "old": COSTS}).comparisons[0].cost

    assert pair is not None
    assert (pair.shape, pair.cheaper) == (None, None)
    assert "give one number for each model" in pair.sentence


def test_degenerate_nothing_costs_anything() -> None:
    result = run(cost={"new": np.zeros(N), "old": np.zeros(N)})
    pair = result.comparisons[0].cost

    assert pair is not None
    assert (pair.ratio, pair.cheaper) == (None, None)
    assert result.cost is not None
    assert set(result.cost.pareto) == {"new", "old"}


@each("cost", [0.0, 1.0, 100.0])
def test_degenerate_equal_costs_of_rows_have_no_interval_in_any_unit(cost: float) -> None:
    result = thetahat.evaluate(
        {"new": NEW, "old": OLD}, blocks="holdout", cost={"new": [cost] * N, "old": COSTS}
    )

    (new, old) = (result.models[name].cost for name in ("new", "old"))
    assert new is not None
    assert new.mean == cost
    assert new.interval is None
    assert old is not None
    assert old.interval is not None


def test_limit_one_model_has_a_cost_and_no_pair() -> None:
    result = thetahat.evaluate({"new": NEW}, blocks="holdout", cost={"new": LOWER})

    assert result.cost is not None
    assert result.cost.pareto == ("new",)
    assert result.cost.sentence == ""


@each(
    "cost,place,words",
    [
        ({"new": -1.0, "old": 1.0}, ("cost", "new"), "is -1.0. A cost must be a finite number"),
        ({"new": math.nan, "old": 1.0}, ("cost", "new"), "is nan"),
        ({"new": math.inf, "old": 1.0}, ("cost", "new"), "is inf"),
        ({"new": 1e200, "old": 1.0}, ("cost", "new"), "0 or above and at most 1e+140"),
        ({"new": True, "old": 1.0}, ("cost", "new"), "is True"),
        ({"new": None, "old": 1.0}, ("cost", "new"), "is None"),
        ({"new": 1.0}, ("cost", "old"), "'old' has no cost"),
        ({"new": 1.0, "old": 1.0, "odl": 1.0}, ("cost", "odl"), "none of the models"),
        ({"new": 1.0, "old": COSTS}, ("cost", "new"), "is one number, and other models"),
        ({"new": COSTS, "old": COSTS[1:]}, ("cost", "old"), "has 119 costs, and there are 120"),
        (
            {"new": COSTS, "old": np.where(np.arange(N) == 7, -2.0, COSTS)},
            ("cost", "old", 7),
            "in row 7 is -2.0",
        ),
        (
            {"new": COSTS, "old": np.where(np.arange(N) == 7, np.nan, COSTS)},
            ("cost", "old", 7),
            "in row 7 is nan",
        ),
    ],
)
def test_invalid_costs(cost: Any, place: tuple[str | int, ...], words: str) -> None:
    with pytest.raises(InvalidParameter) as raised:
        run(cost=cost)

    assert raised.value.loc == place
    assert words in raised.value.message


def test_invalid_what_needs_costs_or_has_no_rows_for_them() -> None:
    with pytest.raises(InvalidParameter, match="there is no cost"):
        run(cost_unit="USD")
    gate = thetahat.Gate(model="new", against="old", cheaper_by=0.5)
    with pytest.raises(InvalidParameter, match="the request has no cost"):
        run(gate=gate)
    for share in (-0.1, 1.0, math.nan):
        with pytest.raises(InvalidParameter, match="share of a cost"):
            thetahat.Gate(model="new", against="old", cheaper_by=share)
    rows: Any = {"new": COSTS, "old": COSTS}
    with pytest.raises(UnsupportedCombination, match="one score for each split"):
        thetahat.evaluate_scores(
            {"new": [0.1, 0.2], "old": [0.2, 0.2]}, n_train=9, n_test=9, better="lower", cost=rows
        )
    with pytest.raises(UnsupportedCombination, match="are sent"):
        thetahat.cross_validate(
            np.arange(20.0)[:, None], np.arange(20.0), {"a": "mean"}, cost={"a": rows["new"]}
        )


def test_exact_assertions_take_costs() -> None:
    cost = {"new": 1.0, "old": 2.0}
    gate = thetahat.assert_not_worse(NEW, OLD, margin=0.1, cost=cost, cheaper_by=0.5)

    assert gate.cheaper_by == 0.5
    with pytest.raises(AssertionError, match="By cost it is required"):
        thetahat.assert_not_worse(NEW, OLD, margin=0.1, cost=cost, cheaper_by=0.6)


def test_exact_better_scores_dominate() -> None:
    right = 1 - (np.arange(N) < 10)
    wrong = 1 - (np.arange(N) < 90)
    for first, second in product(("a", "b"), repeat=2):
        if first == second:
            continue
        result = run({first: right, second: wrong}, better="higher", cost={first: 1.0, second: 2.0})
        assert result.cost is not None
        assert result.cost.pareto == (first,)
        assert result.cost.dominated[second].shown == "better"


def find_pair(n: int, dear: int, *, both: bool = False, **options: Any) -> CostOfPair:
    """Return a pair of which the new model has so many rows that cost 20 times as much."""
    rng = np.random.default_rng(8)
    new, old = 0.5 * rng.lognormal(0, 0.3, n), rng.lognormal(0, 0.3, n)
    new[:dear] *= 20
    if both:
        old[n - dear :] *= 20
    errors = {"new": np.arange(n) % 2 * 1.0, "old": np.arange(n) % 3 / 2}
    pair = run(errors, cost={"new": new, "old": old}, **options).comparisons[0].cost
    assert pair is not None
    assert pair.shape == "interval"
    return pair


@each(
    "n,dear,both,coverage",
    [
        (200, 0, False, 0.9497),
        (50, 0, False, 0.9575),
        (50, 3, False, 0.751),  # (.846 + .843 + .564) / 3 of docs/results/edges/costs.md
        (50, 5, True, 0.9575),  # dear rows of both balance each other
        (12, 0, False, 0.7215),  # so few rows may have no dear ones by chance
        (160, 4, False, 0.8065),
    ],
)
def test_hand_the_interval_of_a_ratio_has_the_coverage_of_its_design(
    n: int, dear: int, *, both: bool, coverage: float
) -> None:
    pair = find_pair(n, dear, both=both)

    assert pair.expected_coverage is not None
    assert pair.expected_coverage.coverage == coverage
    assert pair.expected_coverage.table == "/studies/cost_coverage"
    assert [each.code for each in pair.cautions] == ["covers_too_rarely"] * (coverage < 0.9)
    for caution in pair.cautions:
        share = f"{100 * coverage:.0f} %"
        assert f"interval of the ratio of costs covers too rarely: in {share}" in caution.message


def test_hand_costs_in_clusters_have_their_own_designs() -> None:
    n = 240
    pair = find_pair(n, 0, cluster=np.arange(n) // 6)
    giant = find_pair(n, 0, cluster=np.maximum(np.arange(n) // 6, 20))

    assert pair.expected_coverage is not None
    assert pair.expected_coverage.coverage == 0.943
    assert giant.expected_coverage is None
    assert "of such unequal size" in str(giant.expected_coverage_missing)


def test_exact_other_costs_are_like_no_design() -> None:
    large = find_pair(8000, 0)
    in_time = find_pair(60, 0, time=np.arange(60))
    sources = find_pair(60, 0, blocks="source", block=np.arange(60) % 6)
    numbers = run(cost={"new": 1.0, "old": 2.0}).comparisons[0].cost

    assert large.expected_coverage_missing == (
        "No studied design is like this one: it has 8000 rows, and the nearest study has 2560."
    )
    for pair in (in_time, sources):
        assert pair.expected_coverage_missing == "No studied design is like this one."
    assert numbers is not None
    assert (numbers.expected_coverage, numbers.expected_coverage_missing) == (None, None)
