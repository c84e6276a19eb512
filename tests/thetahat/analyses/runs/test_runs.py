"""Several runs of each item: components of the variance, runs that succeed, and plans."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import thetahat
from tests.vectors.reading import VECTORS
from thetahat.analyses.runs.components import split_variance
from thetahat.analyses.runs.pass_at import compute_pass_all, compute_pass_at
from thetahat.analyses.runs.result import SuccessRate
from thetahat.analyses.runs.success_rates import estimate_success_rate
from thetahat.analyses.runs.values import RunValues
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind


def flatten(scores: Any) -> list[float]:
    return [value for row in scores for value in row]


def items_of(scores: Any) -> list[int]:
    return [item for item, row in enumerate(scores) for _ in row]


def runs_of(scores: list[list[float]], design: str = "nested") -> RunValues:
    run = np.array([k for row in scores for k in range(len(row))])
    return RunValues(
        np.array(flatten(scores), dtype=np.float64),
        np.array(items_of(scores)),
        run if design == "crossed" else None,
    )


@pytest.mark.parametrize(("last", "method"), [(1.0, "student_t"), (0.9, "wilson")])
def test_limit_five_items_worth_of_the_rarer_outcome(last: float, method: str) -> None:
    values = np.array([1.0] * 4 + [last] + [0.0] * 95)
    layout = build_layout(BlockKind.HOLDOUT, np.zeros(100, dtype=np.intp))

    found = estimate_success_rate(BlockLosses(layout, values=values), 0.95)
    of_the_other = estimate_success_rate(BlockLosses(layout, values=1 - values), 0.95)

    assert (found.method, of_the_other.method) == (method, method)


@pytest.mark.outside("Chen et al. (2021) of failures, in exact fractions; the t over items")
def test_golden_all_runs_succeed_where_not_one_of_the_others_does() -> None:
    """All of k succeed where not one of k fails, so that failures have the same interval."""
    vector = VECTORS["pass_at_k_benchmark"]
    inputs = vector["inputs"]
    right = [[0] * (n - c) + [1] * c for n, c in zip(inputs["n"], inputs["c"], strict=True)]
    result = thetahat.evaluate(
        {"m": flatten(right)}, blocks="holdout", item=items_of(right), pass_at=inputs["k"]
    )

    runs = result.models["m"].runs
    assert runs is not None
    assert runs.pass_at is not None
    for k, expected in vector["expected"].items():
        found = runs.pass_at[k].all_succeed
        assert found.method == "student_t"
        assert found.estimate == pytest.approx(1 - expected["mean"], rel=1e-10)
        lower, upper = expected["t_interval_95"]
        assert [found.lower, found.upper] == pytest.approx([1 - upper, 1 - lower], rel=1e-9)


def estimate_successes(values: list[float], **columns: Any) -> SuccessRate:
    layout = build_layout(BlockKind.HOLDOUT, [0] * len(values), **columns)
    return estimate_success_rate(BlockLosses(layout, values=np.array(values)), 0.95)


def test_naive_a_rare_outcome_has_the_score_interval_of_one_run_for_each_item() -> None:
    found = estimate_successes([0.0] * 27 + [0.5, 1.0, 1.0])

    p, n = 2.5 / 30, 30
    ends = [
        brentq(lambda q: (p - q) ** 2 - 1.959964**2 * q * (1 - q) / n, *at)
        for at in ((1e-9, p), (p, 1.0))
    ]
    assert found.method == "wilson"
    assert [found.lower, found.upper] == pytest.approx(ends, rel=1e-5)


def test_by_hand_items_of_a_cluster_count_as_if_they_were_alike() -> None:
    found = estimate_successes([1.0] * 40, cluster=[i // 4 for i in range(40)])

    # ten clusters of four items are ten items; Wilson's lower end of 10 of 10 with t of 9 degrees
    assert found.method == "wilson_clusters"
    assert found.upper == 1
    assert found.lower == pytest.approx(10 / (10 + 2.262157**2), rel=1e-6)


@pytest.mark.parametrize(
    ("n", "columns", "words"),
    [(1, {}, "single item"), (12, {"time": list(range(12))}, "order of time")],
)
def test_degenerate_successes_without_an_interval_say_why(
    n: int, columns: dict[str, Any], words: str
) -> None:
    found = estimate_successes([1.0] * n, **columns)

    assert (found.estimate, found.lower, found.upper, found.method) == (1.0, None, None, None)
    assert found.reason is not None
    assert words in found.reason


@pytest.mark.calibration
@pytest.mark.parametrize("rate", [0.02, 0.5])
def test_calibrated_all_runs_succeed(rate: float) -> None:
    rng, covered, n_items = np.random.default_rng(5), 0, 60
    runs = np.full(n_items, 6)
    for _ in range(1000):
        of_items = rng.binomial(6, np.where(rng.random(n_items) < rate, 1.0, 0.0))
        values = compute_pass_all(runs, of_items, 3)
        found = estimate_successes(values.tolist())
        assert found.lower is not None
        assert found.upper is not None
        covered += found.lower <= rate <= found.upper

    assert covered >= 930


@pytest.mark.parametrize(("n", "c", "k"), [(5, 2, 3), (6, 6, 4), (4, 0, 2), (7, 3, 1)])
def test_naive_runs_that_succeed_by_all_subsets(n: int, c: int, k: int) -> None:
    subsets = list(itertools.combinations([1] * c + [0] * (n - c), k))
    n_runs, successes = np.array([n]), np.array([c])

    found = compute_pass_at(n_runs, successes, k)[0]
    assert found == pytest.approx(np.mean([max(s) for s in subsets]))
    every = compute_pass_all(n_runs, successes, k)[0]
    assert every == pytest.approx(np.mean([min(s) for s in subsets]))


@pytest.mark.calibration
@pytest.mark.parametrize("design", ["nested", "crossed"])
def test_calibrated_components_are_unbiased(design: str) -> None:
    rng, found = np.random.default_rng(1), []
    for _ in range(2000):
        values = rng.normal(size=(12, 1)) * 0.8 + rng.normal(size=(12, 4)) * 0.5
        if design == "crossed":
            values = values + rng.normal(size=(1, 4)) * 0.3
        parts = split_variance(runs_of(values.tolist(), design))
        assert parts is not None
        found.append((parts.item, parts.residual, parts.run or 0.0))

    expected = (0.64, 0.25, 0.09 if design == "crossed" else 0.0)
    assert np.mean(found, axis=0) == pytest.approx(expected, rel=0.06, abs=0.005)


def test_by_hand_the_sentence_and_the_rate_of_flips() -> None:
    wrong = [[0, 1, 0, 1], [1, 1, 1, 1], [0, 0, 0, 0], [0, 0, 0, 1]]
    result = thetahat.evaluate(
        {"m": flatten(wrong)}, blocks="holdout", item=items_of(wrong), pass_at=[2]
    )

    runs = result.models["m"].runs
    assert runs is not None
    # 2 x 2 x 2 / 12 = 2/3 of the pairs of runs of the first item, 2 x 3 / 12 = 1/2 of the last
    assert runs.flip_rate == pytest.approx((2 / 3 + 1 / 2) / 4)
    assert "4 items with 4 runs each: the runs make" in runs.sentence
    assert "Two runs of an item differ in 29 %" in runs.sentence
    assert "At least one of 2 runs succeeds in 71 %, and all do in 42 %" in runs.sentence


def test_exact_a_negative_component_is_shown_and_has_no_share() -> None:
    scores = VECTORS["runs_no_item_variance"]["inputs"]["scores"]
    result = thetahat.evaluate(
        {"m": flatten(scores)}, blocks="holdout", item=items_of(scores), clip=False
    )

    runs = result.models["m"].runs
    assert runs is not None
    assert runs.components is not None
    assert runs.components["item"].variance == pytest.approx(-0.1028939816667)
    assert runs.components["item"].share is None
    assert "items look alike" in runs.sentence


def test_exact_the_order_of_the_rows_does_not_matter() -> None:
    rng = np.random.default_rng(2)
    values, item, run = rng.normal(size=60), np.repeat(np.arange(12), 5), np.tile(np.arange(5), 12)
    cluster, order = item // 3, rng.permutation(60)

    def evaluate(rows: Any) -> thetahat.EvaluationResult:
        return thetahat.evaluate(
            {"m": values[rows]},
            blocks="holdout",
            item=item[rows],
            run=run[rows],
            cluster=cluster[rows],
        )

    first, second = evaluate(np.arange(60)), evaluate(order)
    one, other = first.models["m"], second.models["m"]
    assert one.mean.pooled == pytest.approx(other.mean.pooled)
    assert one.runs is not None
    assert other.runs is not None
    assert one.runs.design == other.runs.design == "crossed"
    assert one.runs.components is not None
    assert other.runs.components is not None
    for name, component in one.runs.components.items():
        assert component.variance == pytest.approx(other.runs.components[name].variance)


def test_limit_one_run_of_each_item_is_a_holdout() -> None:
    values = np.random.default_rng(3).normal(size=20)
    plain = thetahat.evaluate({"m": values}, blocks="holdout")
    with_items = thetahat.evaluate({"m": values}, blocks="holdout", item=range(20))

    assert with_items.models["m"].runs is None
    assert with_items.models["m"].recommended == plain.models["m"].recommended


def test_degenerate_one_item_has_no_components() -> None:
    result = thetahat.evaluate({"m": [0.0, 1.0, 1.0]}, blocks="holdout", item=["q", "q", "q"])

    runs = result.models["m"].runs
    assert runs is not None
    assert runs.components is None
    assert runs.sentence.startswith("1 item with 3 runs each: one item says nothing about other")
    (constant,) = (each for each in result.cautions if each.code == "constant_losses")
    assert constant.message.startswith("All means of items of m are 0.6667.")


def test_exact_named_runs_that_some_items_lack_are_said_not_to_be_crossed() -> None:
    item, run = [0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 2]
    losses = {"m": [0.0, 1.0, 2.0, 4.0, 3.0, 3.5]}
    lacking = thetahat.evaluate(losses, blocks="holdout", item=item, run=run).models["m"].runs
    whole = thetahat.evaluate(losses, blocks="holdout", item=item, run=[0, 1] * 3).models["m"].runs
    unnamed = thetahat.evaluate(losses, blocks="holdout", item=item).models["m"].runs

    assert lacking is not None
    assert whole is not None
    assert unnamed is not None
    assert (lacking.design, whole.design) == ("nested", "crossed")
    assert "Some items lack a run that others have" in lacking.sentence
    assert "Some items lack a run" not in whole.sentence + unnamed.sentence


TWELVE = {"blocks": "holdout", "item": [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]}


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"pass_at": [3]}, InvalidParameter, "item 0 of 'm' has 2"),
        ({"pass_at": [0]}, InvalidParameter, "must be from 1"),
        ({"cluster": list(range(12))}, InvalidParameter, "Item 0 has more than one cluster"),
        ({"run": [0] * 12}, InvalidParameter, "Item 0 has run 0 twice"),
        ({"run": [0, 1] * 5}, InvalidParameter, "run has 10 entries and item has 12"),
        ({"item": [0, 1] * 5}, InvalidParameter, "has 12 losses and item has 10 entries"),
        ({"instance": list(range(12))}, InvalidParameter, "instance does not go with item"),
        ({"item": None, "run": [0] * 12}, InvalidParameter, "run needs item"),
        ({"item": None, "pass_at": [1]}, InvalidParameter, "needs item"),
        ({"weights": [1.0] * 12}, InvalidParameter, "weights are for single losses"),
    ],
)
def test_invalid_runs_are_refused(
    change: dict[str, Any], error: type[Exception], match: str
) -> None:
    losses = {"m": [0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 0, 1]}
    with pytest.raises(error, match=match):
        thetahat.evaluate(losses, **{**TWELVE, **change})


def test_invalid_successes_of_numbers() -> None:
    losses = {"m": np.linspace(0, 1, 12)}
    with pytest.raises(UnsupportedCombination, match="not all 0 or 1"):
        thetahat.evaluate(losses, **TWELVE, pass_at=[1])  # type: ignore[arg-type]
