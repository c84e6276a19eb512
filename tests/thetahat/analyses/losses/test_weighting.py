"""Weighted risks in a result: differences of pairs, and what each source has of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.analyses.losses.tables import evaluated_with_weights
from thetahat.analyses.losses import Choices
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind, FloatArray
from thetahat.weighted_risks import WEIGHTED_RISKS, estimate_paired_difference
from thetahat.weighted_risks.truncated import Truncated

RNG = np.random.default_rng(20_261_121)
A, B, WEIGHTS = RNG.gamma(2.0, size=12), RNG.gamma(2.0, size=12), RNG.gamma(0.7, size=12)


def result_of(
    kind: BlockKind, models: dict[str, FloatArray], weights: Any, **choices: Any
) -> dict[str, Any]:
    n = len(weights)
    layout = build_layout(kind, ["x", "y", "z"] * (n // 3))
    table = LossTable(layout, {name: BlockLosses(layout, v) for name, v in models.items()})
    return evaluated_with_weights(table, Choices(**choices), 1, weights)


@pytest.mark.parametrize("name", [name for name in WEIGHTED_RISKS if name != "doubly"])
def test_exact_a_pair_has_the_difference_of_its_risks(name: str) -> None:
    result = result_of(BlockKind.RANDOM, {"a": A, "b": B}, WEIGHTS)
    method = WEIGHTED_RISKS[name]()
    expected = estimate_paired_difference(method.estimate(A, WEIGHTS), method.estimate(B, WEIGHTS))
    risk = result["comparisons"][0]["risks"][name]

    assert_allclose(risk["difference"], expected.difference, rtol=1e-10)
    assert_allclose(risk["variance"], expected.variance, rtol=1e-9)
    reach = 1.959963984540054 * np.sqrt(expected.variance)
    assert_allclose(risk["interval"]["lower"], expected.difference - reach, rtol=1e-8)
    assert_allclose(risk["interval"]["upper"], expected.difference + reach, rtol=1e-8)
    assert risk["target"] == "new_population"
    assert "by_source" not in risk


def test_exact_each_pair_against_a_control() -> None:
    models = {"a": A, "b": B, "c": A + 1}
    result = result_of(BlockKind.RANDOM, models, np.ones(12), control="b")
    differences = [
        comparison["risks"]["weighted"]["difference"] for comparison in result["comparisons"]
    ]

    assert_allclose(differences, [A.mean() - B.mean(), A.mean() + 1 - B.mean()], rtol=1e-12)


def test_by_hand_each_source_has_its_own_part() -> None:
    # blocks x: rows 0, 3; y: 1, 4; z: 2, 5. l w of x: 1 and 3 (mean 2, S^2 = 2, over 2: 1)
    losses = np.array([1.0, 5.0, 6.0, 1.5, 5.0, 7.0])
    weights = np.array([1.0, 1.0, 0.5, 2.0, 1.0, 1.0])
    result = result_of(BlockKind.SOURCE, {"a": losses, "b": np.zeros(6)}, weights)
    parts = result["models"]["a"]["risks"]["weighted"]["by_source"]

    assert [part["source"] for part in parts] == ["x", "y", "z"]
    assert [part["n"] for part in parts] == [2, 2, 2]
    assert_allclose([part["estimate"] for part in parts], [2, 5, 5], rtol=1e-14)
    assert_allclose([part["variance"] for part in parts], [1, 0, 4], rtol=1e-14)
    # x and z have 1.8 effective rows, fewer than the two that an interval needs; y has two
    assert [part["interval"] is None for part in parts] == [True, False, True]
    differences = result["comparisons"][0]["risks"]["weighted"]["by_source"]
    assert_allclose([part["difference"] for part in differences], [2, 5, 5], rtol=1e-14)


def test_degenerate_a_source_of_one_row_has_no_variance() -> None:
    layout = build_layout(BlockKind.SOURCE, ["x", "x", "y"])
    table = LossTable(layout, {"a": BlockLosses(layout, np.array([1.0, 2.0, 3.0]))})
    result = evaluated_with_weights(table, Choices(), 1, np.array([1.0, 1.0, 2.0]))
    x, y = result["models"]["a"]["risks"]["weighted"]["by_source"]

    assert x["variance"] is not None
    assert (y["estimate"], y["variance"], y["interval"]) == (6.0, None, None)
    assert [c["code"] for c in y["cautions"]] == ["one_row"]
    assert "Source 'y' has one row" in y["cautions"][0]["message"]


@pytest.mark.parametrize("named", [True, False])
def test_exact_sources_that_are_given(*, named: bool) -> None:
    n = 12
    rows = np.tile(np.arange(n), 2)
    layout = build_layout(
        BlockKind.RANDOM,
        ["x", "y", "z"] * 8,
        repeat=np.repeat([0, 1], n),
        instance=rows if named else None,
    )
    losses = np.concatenate([A, A + 1])
    table = LossTable(layout, {"a": BlockLosses(layout, losses)})
    codes = np.where(np.arange(n) < 5, 0, 1)
    sources = codes[rows], ("p", "q")
    result = evaluated_with_weights(table, Choices(), 1, WEIGHTS[rows], None, sources)
    risk = result["models"]["a"]["risks"]["weighted"]

    assert ("by_source" in risk) == named
    if named:
        expected = [((A + 0.5) * WEIGHTS)[codes == k].mean() for k in (0, 1)]
        assert_allclose([source["estimate"] for source in risk["by_source"]], expected, rtol=1e-12)
        assert [source["n"] for source in risk["by_source"]] == [5, 7]


def test_limit_no_differences_where_weights_differ() -> None:
    models = {"a": A, "b": B}
    by_model = result_of(BlockKind.RANDOM, models, WEIGHTS)
    layout = build_layout(BlockKind.RANDOM, ["x", "y", "z"] * 4)
    table = LossTable(layout, {name: BlockLosses(layout, v) for name, v in models.items()})
    own = evaluated_with_weights(table, Choices(), 1, {"a": WEIGHTS, "b": WEIGHTS})

    assert "risks" not in own["comparisons"][0]
    assert own["models"]["a"]["risks"] == by_model["models"]["a"]["risks"]


def test_exact_risks_other_than_the_default() -> None:
    layout = build_layout(BlockKind.RANDOM, ["x", "y", "z"] * 4)
    table = LossTable(layout, {"a": BlockLosses(layout, A)})
    result = evaluated_with_weights(table, Choices(), 1, WEIGHTS, {"cut": Truncated(cut=0.5)})
    risks = result["models"]["a"]["risks"]

    assert list(risks) == ["cut"]
    assert_allclose(risks["cut"]["estimate"], np.mean(A * np.minimum(WEIGHTS, 0.5)), rtol=1e-13)
