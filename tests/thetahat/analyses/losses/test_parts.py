"""The smaller parts of a result: pairs, means, block moments, cautions, weighted risks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.analyses.losses.tables import (
    build_pairs,
    evaluated_with_weights,
    five_by_nine,
    normal_table,
    result_of,
    scores_of,
    table_of,
)
from thetahat.analyses.losses import Choices
from thetahat.analyses.losses.cautions import list_cautions
from thetahat.analyses.losses.covariance import compute_covariance
from thetahat.analyses.losses.effect_sizes import compute_effect_size
from thetahat.analyses.losses.pairs import count_independent_units, list_units
from thetahat.analyses.losses.weighted_risks import estimate_risks
from thetahat.cautions import MANY_PAIRS
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.json_values import to_json
from thetahat.values.layout import build_layout
from thetahat.values.types import Alternative, BlockKind
from thetahat.values.words import choose_words


def repeated(*, instance: bool) -> LossTable:
    """Two repeats of three folds of two over six instances, the second in another order."""
    order = [0, 1, 2, 3, 4, 5, 5, 0, 4, 1, 3, 2]
    layout = build_layout(
        BlockKind.RANDOM,
        ["x", "x", "y", "y", "z", "z"] * 2,
        repeat=[0] * 6 + [1] * 6,
        instance=order if instance else None,
    )
    a = np.arange(12.0)
    return table_of(layout, {"a": a, "b": a**2})


def codes(result: dict[str, Any]) -> list[str]:
    return [c["code"] for c in result["cautions"]]


def test_exact_pairs_in_order_and_against_a_control() -> None:
    table = scores_of({n: [float(i), 1.0 + i**2, 3.0] for i, n in enumerate("abcd")})

    assert [p.a + p.b for p in build_pairs(table, None)] == ["ab", "ac", "ad", "bc", "bd", "cd"]
    assert [p.a + p.b for p in build_pairs(table, "b")] == ["ab", "cb", "db"]
    assert list(build_pairs(scores_of({"a": [1.0, 2.0]}), "a")) == []


def test_by_hand_scores_that_are_better_when_higher() -> None:
    table = scores_of({"a": [0.9, 0.8, 0.95], "b": [0.7, 0.75, 0.7]}, higher_is_better=True)

    result = result_of(table)
    (comparison,) = result["comparisons"]
    assert_allclose(result["models"]["a"]["mean"]["macro"], 2.65 / 3, rtol=1e-14)
    # a minus b: .2, .05, .25
    assert_allclose(comparison["difference"], 0.5 / 3, rtol=1e-13)
    assert comparison["cautions"][0]["code"] == "difference_in_metric_units"
    lower_is_better = scores_of({"a": [-0.9, -0.8, -0.95], "b": [-0.7, -0.75, -0.7]})
    other = result_of(lower_is_better)["comparisons"][0]
    assert comparison["verdict"]["decision"] == other["verdict"]["decision"]
    assert comparison["verdict"]["p_value"] == other["verdict"]["p_value"]
    for key, outcome in comparison["tests"].items():
        mirrored = other["tests"][key]
        assert outcome["p_value"] == mirrored["p_value"]
        if key.endswith("_t") and outcome["statistic"] is not None:
            assert outcome["statistic"] == -mirrored["statistic"]
    sizes, mirrored_sizes = comparison["effect_size"], other["effect_size"]
    assert sizes["value"] == -mirrored_sizes["value"]
    assert sizes["probability_of_superiority"] == mirrored_sizes["probability_of_superiority"] == 1


def test_by_hand_rows_that_are_better_when_higher() -> None:
    table = five_by_nine(BlockKind.RANDOM)
    flipped = table.with_words(choose_words(table.layout.kind, higher_is_better=True))

    (pair,) = build_pairs(flipped, None)
    assert_allclose(pair.losses.difference.moments.macro_mean, -1 / 9, rtol=1e-14)
    assert pair.losses.higher_is_better


@pytest.mark.parametrize("rows", [True, False])
def test_degenerate_differences_equal_but_for_rounding(*, rows: bool) -> None:
    # .3 - .2 and .4 - .3 differ in the last bits
    a, b = [0.3, 0.4, 0.3, 0.4], [0.2, 0.3, 0.2, 0.3]
    table = (
        table_of(build_layout(BlockKind.RANDOM, [0, 0, 1, 1]), {"a": a, "b": b})
        if rows
        else scores_of({"a": a, "b": b})
    )
    (pair,) = build_pairs(table, None)

    assert pair.constant == pytest.approx(0.1, rel=1e-12)
    assert [c.code for c in pair.cautions] == ["equal_but_for_rounding"]
    verdict = result_of(table)["comparisons"][0]["verdict"]
    assert verdict["decision"] == "undecided"
    assert verdict["method"] == "sign"


def test_degenerate_copies_are_named() -> None:
    (comparison,) = result_of(scores_of({"a": [0.1, 0.2], "b": [0.1, 0.2]}))["comparisons"]

    (caution,) = comparison["cautions"]
    assert caution["code"] == "identical_losses"
    assert caution["message"] == "a and b have identical losses."
    assert comparison["difference"] == 0
    assert comparison["effect_size"]["value"] is None
    assert comparison["interval"] is None


def test_by_hand_large_mean_keeps_its_digits() -> None:
    small = normal_table(7, BlockKind.SOURCE, shifts=(0.0, 0.3))
    large = LossTable(
        small.layout,
        {n: BlockLosses(small.layout, values=m.rows + 2.0**27) for n, m in small.models.items()},
    )

    first, other = (result_of(t)["comparisons"][0] for t in (small, large))
    # adding 2^27 rounds each loss at 1e-8 of its spread
    assert_allclose(other["verdict"]["p_value"], first["verdict"]["p_value"], rtol=1e-5)
    assert_allclose(other["difference"], first["difference"], rtol=1e-6)


def test_exact_units_of_an_effect() -> None:
    for kind, unit, n in (
        (BlockKind.SOURCE, "block", 5),
        (BlockKind.RANDOM, "instance", 45),
        (BlockKind.HOLDOUT, "instance", 45),
    ):
        (pair,) = build_pairs(five_by_nine(kind), None)
        name, values = list_units(pair.losses.difference)
        assert (name, len(values)) == (unit, n)


@pytest.mark.parametrize(("instance", "unit", "n"), [(True, "instance", 6), (False, "block", 6)])
def test_by_hand_units_over_repeats(*, instance: bool, unit: str, n: int) -> None:
    (pair,) = build_pairs(repeated(instance=instance), None)
    name, values = list_units(pair.losses.difference)

    assert (name, len(values)) == (unit, n)
    d = np.arange(12.0) - np.arange(12.0) ** 2
    # instance 0 stands in rows 0 and 7, block x of the first repeat in rows 0 and 1
    first = (d[0] + d[7]) / 2 if instance else (d[0] + d[1]) / 2
    assert_allclose(values[0], first, rtol=1e-14)


def test_degenerate_effect_size() -> None:
    assert compute_effect_size("block", np.array([2.0])).value is None
    assert compute_effect_size("block", np.array([2.0, 2.0])).value is None
    assert to_json(compute_effect_size("block", np.array([1.0, 3.0]))) == {
        "name": "cohen_d",
        "value": pytest.approx(2 / np.sqrt(2), rel=1e-15),
        "unit": "block",
        "n": 2,
        "hedges_g": None,
        "probability_of_superiority": 0.0,
        "rank_biserial": 1.0,
    }


def test_exact_clusters_are_the_independent_units_unless_blocks_are_sources() -> None:
    clusters = [0, 0, 1, 1, 2, 2]
    for kind, expected in ((BlockKind.RANDOM, 3), (BlockKind.SOURCE, 2)):
        layout = build_layout(kind, [0, 0, 0, 1, 1, 1], cluster=clusters)
        losses = BlockLosses(layout, values=np.arange(6.0))
        assert count_independent_units(losses, list_units(losses)[1]) == expected
    without = build_layout(BlockKind.RANDOM, [0, 0, 1, 1])
    losses = BlockLosses(without, values=np.arange(4.0))
    assert count_independent_units(losses, losses.rows) == 4


def test_by_hand_means_over_repeats() -> None:
    mean = result_of(repeated(instance=True))["models"]["a"]["mean"]

    # blocks x: rows 0 1 and 6 7, y: 2 3 and 8 9, z: 4 5 and 10 11
    assert_allclose(mean["blocks"], [3.5, 5.5, 7.5], rtol=1e-14)
    assert_allclose(mean["splits"], [0.5, 2.5, 4.5, 6.5, 8.5, 10.5], rtol=1e-14)
    assert_allclose(mean["macro"], 5.5, rtol=1e-14)


def test_exact_counts_over_repeats() -> None:
    model = result_of(repeated(instance=True))["models"]["a"]

    assert (model["n"], model["blocks"]) == (6, 3)


def test_naive_block_moments() -> None:
    rng = np.random.default_rng(3_130)
    block = np.array([0, 0, 0, 1, 2, 2])
    values = rng.normal(size=6)
    layout = build_layout(BlockKind.SOURCE, block)

    picture = compute_covariance(table_of(layout, {"a": values})).models["a"]

    for k in range(3):
        mine = np.flatnonzero(block == k)
        ordered = [values[i] * values[j] for i in mine for j in mine if i != j]
        if ordered:
            assert_allclose(picture.moments[k][k], np.mean(ordered), rtol=1e-10)
            assert_allclose(picture.within_variance[k], values[mine].var(ddof=1), rtol=1e-12)
        else:
            assert np.isnan(picture.moments[k][k])
            assert np.isnan(picture.within_variance[k])
        for m in set(range(3)) - {k}:
            products = [values[i] * values[j] for i in mine for j in np.flatnonzero(block == m)]
            assert_allclose(picture.moments[k][m], np.mean(products), rtol=1e-12)


def test_by_hand_block_moments_of_the_first_repeat() -> None:
    moments = compute_covariance(repeated(instance=False))

    assert moments.repeat == 0
    assert moments.models["a"].blocks == ("x", "y", "z")
    assert_allclose(moments.models["a"].mean, [0.5, 2.5, 4.5])


def test_exact_block_moments_of_scores_have_no_diagonal() -> None:
    picture = compute_covariance(scores_of({"a": [1.0, 2.0]})).models["a"]

    assert to_json(picture.moments) == [[None, 2.0], [2.0, None]]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (five_by_nine(BlockKind.HOLDOUT), "a holdout is one block"),
        (scores_of({"a": [1.0, 2.0] * 101}), "202 folds"),
        (scores_of({f"m{i}": [1.0, 2.0] * 100 for i in range(13)}), "13 models of 200 folds"),
    ],
)
def test_degenerate_block_moments_left_out_with_a_reason(table: LossTable, words: str) -> None:
    moments = compute_covariance(table)

    assert moments.models == {}
    assert moments.reason is not None
    assert words in moments.reason


def test_exact_cautions_on_the_whole() -> None:
    layout = build_layout(BlockKind.SOURCE, [0, 0, 1, 1, 1, 1, 1])
    ragged = table_of(layout, {"a": np.arange(7.0), "b": np.full(7, 0.5)})

    assert codes(result_of(ragged)) == ["few_blocks", "unequal_blocks", "constant_losses"]
    assert codes(result_of(five_by_nine(BlockKind.RANDOM))) == ["few_blocks"]
    assert codes(result_of(scores_of({"a": [float(j) for j in range(10)]}))) == [
        "split_scores_only"
    ]
    flat = scores_of({"a": [2.0] * 10})
    assert codes(result_of(flat)) == ["split_scores_only", "constant_losses"]
    # folds whose sizes differ by one are as equal as folds can be
    nearly = table_of(build_layout(BlockKind.RANDOM, [0, *range(10)]), {"a": np.arange(11.0)})
    assert codes(result_of(nearly)) == []


def test_exact_block_means_alike_are_not_constant_losses() -> None:
    table = table_of(build_layout(BlockKind.RANDOM, [0, 0, 1, 1]), {"a": [0.0, 1.0, 1.0, 0.0]})

    assert codes(result_of(table)) == ["few_blocks"]


def test_exact_many_pairs_have_a_caution() -> None:
    table = five_by_nine(BlockKind.RANDOM)

    cautions = list_cautions(
        table,
        of_runs=False,
        clip_without_range=False,
        n_pairs=int(MANY_PAIRS.threshold) + 1,
        correction="holm",
    )
    assert [c.code for c in cautions] == ["few_blocks", "many_pairs"]


def test_by_hand_weighted_risks() -> None:
    table = five_by_nine(BlockKind.RANDOM)
    weights = np.where(np.arange(45) % 9 < 2, 2.0, 1.0)

    result = evaluated_with_weights(table, Choices(), 1, weights)
    assert_allclose(result["models"]["nb"]["mean"]["macro"], 1 / 3, rtol=1e-14)
    risk = result["models"]["nb"]["risks"]["weighted"]
    # the first two of every block are ones of weight 2: 10 ones count twice
    assert_allclose(risk["estimate"], 25 / 45, rtol=1e-14)
    terms = table.models["nb"].rows * weights
    assert_allclose(risk["variance"], terms.var(ddof=1) / 45, rtol=1e-12)
    assert_allclose(risk["standard_error"] ** 2, risk["variance"], rtol=1e-12)
    half = 1.959963984540054 * risk["standard_error"]
    assert_allclose(risk["interval"]["lower"], 25 / 45 - half, rtol=1e-12)
    assert_allclose(risk["interval"]["upper"], 25 / 45 + half, rtol=1e-12)
    assert risk["target"] == "new_population"
    assert {"weighted", "controlled"} <= set(result["models"]["nb"]["risks"])
    assert "risks" not in result_of(table)["models"]["nb"]


def test_by_hand_weights_by_model_and_one_sided_risks() -> None:
    table = five_by_nine(BlockKind.RANDOM)
    weights = {"nb": np.ones(45), "svm": np.full(45, 2.0)}

    less = evaluated_with_weights(table, Choices(alternative=Alternative.LESS), 1, weights)[
        "models"
    ]
    greater = evaluated_with_weights(table, Choices(alternative=Alternative.GREATER), 1, weights)[
        "models"
    ]
    assert_allclose(less["svm"]["risks"]["weighted"]["estimate"], 8 / 9, rtol=1e-14)
    bound = less["nb"]["risks"]["weighted"]
    assert bound["interval"]["lower"] is None
    reach = 1.6448536269514722 * bound["standard_error"]
    assert_allclose(bound["interval"]["upper"], 1 / 3 + reach, rtol=1e-12)
    assert greater["nb"]["risks"]["weighted"]["interval"]["upper"] is None


def test_by_hand_risks_over_repeats_count_an_instance_once() -> None:
    weights = np.linspace(0.5, 1.5, 12)
    matched, unmatched = (
        evaluated_with_weights(repeated(instance=known), Choices(), 1, weights)["models"]["a"][
            "risks"
        ]["weighted"]
        for known in (True, False)
    )

    order = np.array([0, 1, 2, 3, 4, 5, 5, 0, 4, 1, 3, 2])
    losses = np.array([np.arange(12.0)[order == i].mean() for i in range(6)])
    means = np.array([weights[order == i].mean() for i in range(6)])
    assert_allclose(matched["estimate"], (losses * means).mean(), rtol=1e-13)
    assert_allclose(matched["variance"], (losses * means).var(ddof=1) / 6, rtol=1e-12)
    assert matched["cautions"] == []
    assert [c["code"] for c in unmatched["cautions"]] == ["repeats_counted_as_instances"]
    assert_allclose(unmatched["estimate"], (np.arange(12.0) * weights).mean(), rtol=1e-13)


def test_degenerate_weights_of_one_effective_row_have_no_interval() -> None:
    """The self-normalised risk had the interval [0.9, 0.9], without a caution."""
    losses = np.random.default_rng(6).random(50)
    losses[7] = 0.9
    weights = np.full(50, 1e-20)
    weights[7] = 1.0
    layout = build_layout(BlockKind.HOLDOUT, np.zeros(50, dtype=np.intp))

    risks = estimate_risks(BlockLosses(layout, values=losses), weights, Choices())

    for risk in risks.values():
        assert risk.interval is None
        assert "one_effective_row" in {caution.code for caution in risk.cautions}
    two = np.where(np.arange(50) < 3, 1.0, 1e-20)
    assert all(
        risk.interval is not None
        for risk in estimate_risks(BlockLosses(layout, values=losses), two, Choices()).values()
    )
