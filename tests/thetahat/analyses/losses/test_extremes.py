"""Extreme and degenerate losses: right, or refused in words, with cautions, and never NaN."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.analyses.losses.tables import named, result_of, table_of
from thetahat.errors import InvalidParameter
from thetahat.values.block_losses import MAX_LOSS, LossTable
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import BlockKind

KINDS = [BlockKind.RANDOM, BlockKind.SOURCE, BlockKind.HOLDOUT]
EVERY_KIND = pytest.mark.parametrize("kind", KINDS)


def layout(kind: BlockKind, n: int, k: int = 4) -> Layout:
    block = np.zeros(n, dtype=np.intp) if kind is BlockKind.HOLDOUT else np.arange(n) % k
    return build_layout(kind, block)


def sound(table: LossTable, **choices: Any) -> dict[str, Any]:
    """Evaluate; nothing in the result may be NaN or infinite, p-values lie in [0, 1]."""
    result = result_of(table, **choices)
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    for pair in result["comparisons"]:
        for outcome in pair["tests"].values():
            p_value = outcome.get("p_value")
            assert p_value is None or 0 <= p_value <= 1
    return result


def codes(evaluation: list[dict[str, Any]]) -> set[str]:
    return {caution["code"] for caution in evaluation}


@EVERY_KIND
@pytest.mark.parametrize("value", [0.0, 0.3, -2.0, 1e130])
def test_degenerate_all_losses_equal(kind: BlockKind, value: float) -> None:
    table = table_of(layout(kind, 24), {"a": np.full(24, value), "b": np.full(24, value)})

    result = sound(table)

    assert codes(result["cautions"]) >= {"constant_losses"}
    (pair,) = result["comparisons"]
    assert codes(pair["cautions"]) == {"identical_losses"}
    assert pair["difference"] == 0
    if (
        kind is BlockKind.HOLDOUT and value == 0
    ):  # rates, of which 24 instances bound the difference
        assert {i["method"] for i in pair["intervals"]} == {"newcombe", "tango"}
    else:
        assert (pair["interval"], pair["intervals"]) == (None, [])
    assert pair["verdict"]["decision"] == "undecided"
    for name, outcome in pair["tests"].items():
        assert outcome["p_value"] in (1, None), name
    for model in result["models"].values():
        assert model["mean"]["macro"] == value
        usable = {k for k, v in model["variances"].items() if v["usable"]}
        assert usable <= {"theta_1"}


@EVERY_KIND
def test_degenerate_a_copy_among_the_models(kind: BlockKind) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=40), rng.normal(size=40)

    result = sound(table_of(layout(kind, 40), {"a": a, "copy": a, "b": b}), margin=0.1)

    copies, first, second = result["comparisons"]
    assert codes(copies["cautions"]) == {"identical_losses"}
    assert copies["verdict"]["decision"] == "undecided"
    assert "no spread and no known range" in copies["verdict"]["reason"]
    assert first["tests"]["wilcoxon"] == second["tests"]["wilcoxon"]
    assert first["interval"] == second["interval"]
    assert first["difference"] == second["difference"]


@EVERY_KIND
def test_degenerate_a_constant_difference(kind: BlockKind) -> None:
    a = np.random.default_rng(2).integers(0, 2, 40).astype(np.float64)

    (pair,) = sound(table_of(layout(kind, 40), {"a": a, "b": a + 0.5}))["comparisons"]

    assert pair["difference"] == -0.5
    assert pair["interval"] is None
    # the exact sign test: 40 instances, over 4 folds as many as 40 / (1 + 4 / 3), or 4 sources
    few, over_folds = kind is BlockKind.SOURCE, kind is BlockKind.RANDOM
    assert pair["verdict"]["decision"] == ("undecided" if few else "better")
    assert pair["verdict"]["method"] == "sign"
    n = 4 if few else 40 / (1 + 4 / 3) if over_folds else 40
    assert pair["verdict"]["p_value"] == pytest.approx(2.0 ** (1 - n), rel=1e-12)


@pytest.mark.parametrize("kind", [BlockKind.RANDOM, BlockKind.SOURCE])
def test_degenerate_two_instances_in_two_blocks(kind: BlockKind) -> None:
    table = table_of(layout(kind, 2, k=2), {"a": [0.0, 1.0], "b": [1.0, 1.5], "c": [3.0, 1.0]})

    result = sound(table)

    assert "few_blocks" in codes(result["cautions"])
    assert {p["verdict"]["decision"] for p in result["comparisons"]} == {"undecided"}


def test_degenerate_two_instances_in_a_holdout() -> None:
    table = table_of(layout(BlockKind.HOLDOUT, 2), {"a": [0.0, 1.0], "b": [1.0, 1.5]})

    assert sound(table)["comparisons"][0]["verdict"]["decision"] == "undecided"


def test_degenerate_ten_thousand_blocks_of_one() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=10_000), rng.normal(size=10_000)
    table = table_of(layout(BlockKind.RANDOM, 10_000, k=10_000), {"a": a, "b": b})

    result = sound(table, tests=named("tests", "paired_t_blocks", "wilcoxon", "permutation"))

    variances = result["models"]["a"]["variances"]
    assert_allclose(variances["theta_3"]["value"], a.var(ddof=1) / 10_000, rtol=1e-12)
    assert "theta_4" in {entry["name"] for entry in result["not_applicable"]}
    assert "10000 folds" in result["covariance"]["reason"]
    (pair,) = result["comparisons"]
    assert_allclose(pair["difference"], (a - b).mean(), rtol=1e-9)
    t = pair["tests"]["paired_t_blocks"]["statistic"]
    assert_allclose(t, (a - b).mean() / ((a - b).std(ddof=1) / 100), rtol=1e-9)


@EVERY_KIND
def test_naive_heavy_ties(kind: BlockKind) -> None:
    # 900 of 1000 units do not differ, the others by a half: all tests count the same 60 and 40
    d = np.zeros(1000)
    d[:60], d[60:100] = 0.5, -0.5
    order = np.random.default_rng(4).permutation(1000)
    b = np.random.default_rng(5).integers(0, 3, 1000) / 2
    unit = {"paired_unit": "instance"}

    (pair,) = sound(table_of(layout(kind, 1000), {"a": b + d[order], "b": b}), **unit)[
        "comparisons"
    ]

    p_value = 2 * sum(math.comb(100, k) for k in range(41)) / 2**100
    assert (pair["tests"]["sign"]["a_better"], pair["tests"]["sign"]["ties"]) == (40, 900)
    assert_allclose(pair["tests"]["sign"]["p_value"], p_value, rtol=1e-12)
    assert_allclose(pair["tests"]["permutation"]["p_value"], p_value, rtol=1e-12)
    # R+ = 60 x 50.5, of variance 100 x 50.5^2 / 4: z = 2
    assert_allclose(pair["tests"]["wilcoxon"]["z"], 2, rtol=1e-12)


@EVERY_KIND
def test_degenerate_one_huge_outlier(kind: BlockKind) -> None:
    rng = np.random.default_rng(6)
    a, b, c = rng.normal(size=(3, 60))
    a[17] = 1e130

    result = sound(table_of(layout(kind, 60), {"a": a, "b": b, "c": c}))

    with_outlier, _, without = result["comparisons"]
    assert_allclose(with_outlier["difference_pooled"], 1e130 / 60, rtol=1e-12)
    assert with_outlier["verdict"]["decision"] == "undecided"
    # ranks do not care, and the other two models are not touched by it
    plain = sound(table_of(layout(kind, 60), {"b": b, "c": c}))["comparisons"][0]
    for name, outcome in plain["tests"].items():
        other = without["tests"][name]["p_value"]
        assert (other is None) == (outcome["p_value"] is None)
        if other is not None:
            assert_allclose(other, outcome["p_value"], rtol=1e-9)
    for field in ("estimate", "standard_error"):
        assert_allclose(without["interval"][field], plain["interval"][field], rtol=1e-12)


@pytest.mark.parametrize("value", [2 * MAX_LOSS, math.inf, math.nan])
def test_invalid_losses_beyond_double_precision(value: float) -> None:
    with pytest.raises(InvalidParameter, match="finite"):
        table_of(layout(BlockKind.RANDOM, 8), {"a": [value, *range(7)]})


def test_exact_twenty_models_all_pairs() -> None:
    """The 200 models x 10 000 instances of the benchmarks, scaled down."""
    rng = np.random.default_rng(7)
    shared = rng.normal(size=500)
    models = {f"m{i}": shared + rng.normal(size=500) + 0.02 * i for i in range(20)}
    table = table_of(build_layout(BlockKind.RANDOM, rng.permutation(np.arange(500) % 10)), models)

    result = sound(table, include="tests", pairs="all")

    pairs = result["comparisons"]
    assert len(pairs) == 20 * 19 // 2
    assert [pairs[0]["a"], pairs[0]["b"], pairs[-1]["a"], pairs[-1]["b"]] == [
        *("m0", "m1", "m18", "m19")
    ]
    kept = {"bayle_z", "nadeau_bengio_t", "paired_t_blocks", "permutation", "sign", "wilcoxon"}
    assert kept <= set(pairs[0]["tests"])
    for pair in (pairs[0], pairs[100], pairs[-1]):
        d = models[pair["a"]] - models[pair["b"]]
        means = np.array([d[table.layout.get_split_of_row() == k].mean() for k in range(10)])
        assert_allclose(pair["difference"], means.mean(), rtol=1e-9)
        error = math.sqrt((1 / 500 + 0.6 / 499) * d.var(ddof=1))
        assert_allclose(pair["interval"]["standard_error"], error, rtol=1e-9)
        assert pair["tests"]["sign"]["statistic"] == (d > 0).sum()
        # holm over 190: never below the p-value, never above 190 times it
        for outcome in pair["tests"].values():
            if outcome.get("p_value") is not None:
                p, q = outcome["p_value"], outcome["p_value_adjusted"]
                assert p <= q <= min(1, 190 * p) * (1 + 1e-12)


@EVERY_KIND
def test_degenerate_differences_that_are_rounding_errors_make_no_verdict(kind: BlockKind) -> None:
    """0.1 against 0.09999999999999998 seven times was "worse" with p = 0.016."""
    rows = {"a": [0.1] * 28, "b": [0.1 - 2e-17] * 28}
    assert rows["a"] != rows["b"]

    result = sound(table_of(layout(kind, 28), rows))

    (pair,) = result["comparisons"]
    assert pair["difference"] == 0
    assert pair["verdict"]["decision"] == "undecided"
    assert "equal_but_for_rounding" in codes(pair["cautions"])
    (message,) = (c["message"] for c in pair["cautions"] if c["code"] == "identical_losses")
    assert message.endswith(" that differ only by rounding.")
    assert "identical" not in message + pair["verdict"]["reason"]
    p_values = [outcome.get("p_value") for outcome in pair["tests"].values()]
    assert {p for p in p_values if p is not None} == {1.0}


@EVERY_KIND
def test_invalid_losses_whose_squares_are_lost(kind: BlockKind) -> None:
    rows = np.random.default_rng(3).random((2, 28)) * 1e-163

    with pytest.raises(InvalidParameter, match="largest must be 0 or at least 1e-140"):
        table_of(layout(kind, 28), {"a": rows[0].tolist(), "b": rows[1].tolist()})


@EVERY_KIND
def test_degenerate_differences_whose_squares_are_lost_count_as_none(kind: BlockKind) -> None:
    rng = np.random.default_rng(4)
    rows = {name: [0.5, *(rng.random(27) * 1e-163)] for name in "ab"}

    (pair,) = sound(table_of(layout(kind, 28), rows))["comparisons"]

    assert pair["difference"] == 0
    assert pair["tests"]["sign"]["p_value"] == 1
    assert "equal_but_for_rounding" in codes(pair["cautions"])


@EVERY_KIND
def test_exact_the_smallest_losses_have_the_p_values_of_others(kind: BlockKind) -> None:
    rows = np.random.default_rng(5).random((2, 28)) + np.array([[0.0], [0.2]])
    usual, tiny = (
        sound(table_of(layout(kind, 28), {"a": own[0].tolist(), "b": own[1].tolist()}))
        for own in (rows, rows * 1e-139)
    )

    (first,), (second,) = usual["comparisons"], tiny["comparisons"]
    for name, outcome in first["tests"].items():
        if outcome.get("p_value") is not None:
            assert_allclose(second["tests"][name]["p_value"], outcome["p_value"], rtol=1e-9)
    assert second["verdict"]["decision"] == first["verdict"]["decision"]
