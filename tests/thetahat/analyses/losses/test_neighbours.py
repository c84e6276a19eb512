"""Whether neighbouring rows are alike: the test, and the caution of a result."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import thetahat
from tests.thetahat.analyses.losses.tables import table_of
from tests.vectors.reading import VECTORS
from thetahat.analyses.losses.neighbours import (
    CentralMoments,
    LagSums,
    NeighbourTests,
    RowDependence,
    RowsInOrder,
)
from thetahat.numerics.long_run_variance import choose_lags, compute_autocovariances
from thetahat.values.layout import build_block_layout, build_layout
from thetahat.values.sorted_rows import find_splits_sorted_by_truth
from thetahat.values.types import BlockKind


def draw_dependent(n: int, coefficient: float, seed: int) -> Any:
    values = np.random.default_rng(seed).standard_normal(n)
    for i in range(1, n):
        values[i] += coefficient * values[i - 1]
    return values


def measure_neighbours(values: Any, *sizes: int) -> RowDependence | None:
    return RowsInOrder(np.array(sizes or (len(values),))).measure(values)


def list_subjects(cautions: Any) -> list[str]:
    """Return what each caution about neighbours is about."""
    codes = ("neighbours_alike", "neighbours_alike_within")
    messages = [caution.message for caution in cautions if caution.code in codes]
    return [message.split("correlation of ")[1].split(" with that")[0] for message in messages]


@pytest.mark.outside("R sandwich 3.0.2, NeweyWest(prewhite = FALSE, adjust = TRUE)")
@pytest.mark.parametrize("name", ["time_positive_correlation", "time_white", "time_short"])
def test_golden_the_factor_is_that_of_newey_and_west(name: str) -> None:
    inputs, expected = VECTORS[name]["inputs"], VECTORS[name]["expected"]
    measured = measure_neighbours(np.array(inputs["loss"]))
    autocovariances = expected["autocovariances"]

    assert measured is not None
    assert choose_lags(len(inputs["loss"])) == inputs["lags"]
    factor = expected["se_newey_west_small_sample"] / expected["se_iid"]
    assert_allclose(measured.factor, factor, rtol=1e-11)
    assert_allclose(measured.correlation, autocovariances[1] / autocovariances[0], rtol=1e-9)


def test_exact_the_mean_and_the_variance_over_all_orders() -> None:
    weights, blocks = np.array([2 / 3, 1 / 3]), ([0.0, 0.0, 1.0, 7.0], [3.0, 2.5, -1.0, 8.0, 8.0])
    totals = []
    for first in itertools.permutations(blocks[0]):
        for second in itertools.permutations(blocks[1]):
            total = 0.0
            for block in (first, second):
                autocovariances = compute_autocovariances(np.array(block), 2)
                total += len(block) * float(weights @ autocovariances[1:])
            totals.append(total)

    sums = LagSums.compute(weights, np.array([4, 5]))
    centred = [np.abs(np.array(block) - np.mean(block)) for block in blocks]
    powers = [np.array([(c**k).mean() for c in centred]) for k in (2, 3, 4)]
    mean, variance = CentralMoments(np.array([4.0, 5.0]), *powers).compute_moments(sums)

    assert_allclose(mean, np.mean(totals))
    assert_allclose(variance, np.var(totals))


@pytest.mark.parametrize(
    ("values", "sizes"),
    [
        pytest.param(draw_dependent(60, 0.3, 5), (60,), id="normal"),
        pytest.param(draw_dependent(60, 0.3, 7) ** 2, (60,), id="squares"),
        pytest.param((draw_dependent(100, 0.7, 8) > 1.6) * 1.0, (100,), id="errors"),
        pytest.param(np.isin(np.arange(100), [10, 11, 12, 80]) * 1.0, (100,), id="four errors"),
        pytest.param(draw_dependent(100, 0.3, 6), (25, 25, 25, 25), id="sources"),
        pytest.param((draw_dependent(90, 0.6, 9) > 1.2) * 1.0, (50, 25, 10, 5), id="unequal"),
    ],
)
def test_naive_p_value_by_random_orders(values: Any, sizes: tuple[int, ...]) -> None:
    """The p-value is near the least share of random orders that are as much alike, or above it."""
    rng = np.random.default_rng(3)
    measured = measure_neighbours(values, *sizes)
    assert measured is not None
    blocks = np.split(values, np.cumsum(sizes)[:-1])
    found = [
        measure_neighbours(np.concatenate([rng.permutation(block) for block in blocks]), *sizes)
        for _ in range(3000)
    ]
    orders = [order for order in found if order is not None]
    share = min(
        np.mean([order.factor >= measured.factor for order in orders]),
        np.mean([order.correlation >= measured.correlation for order in orders]),
    )

    assert 0.0005 < share < 0.05
    assert 0.8 < measured.p_value / share < 2.5


def test_limit_the_size_of_the_losses_does_not_matter() -> None:
    values = draw_dependent(40, 0.5, 1)
    small, large = measure_neighbours(values * 1e-130), measure_neighbours(values * 1e130)

    assert small is not None
    assert large is not None
    assert_allclose(small.p_value, large.p_value)
    assert measure_neighbours(np.ones(40)) is None


def test_exact_a_result_names_models_and_pairs() -> None:
    shared, rng = draw_dependent(200, 0.6, 1), np.random.default_rng(2)
    losses = {
        "a": 5 + shared,
        "b": 5 + shared + 0.3 * rng.standard_normal(200),
        "c": rng.random(200),
    }
    result = thetahat.evaluate(losses, blocks="holdout")

    assert list_subjects(result.cautions) == ["the loss of 'a'", "the loss of 'b'"]
    pairs = [list_subjects(comparison.cautions) for comparison in result.comparisons]
    assert pairs == [[], ["the difference 'a' - 'c'"], ["the difference 'b' - 'c'"]]


def test_exact_the_caution_has_the_factor() -> None:
    values = np.array(VECTORS["time_positive_correlation"]["inputs"]["loss"])
    (message,) = [
        caution.message
        for caution in thetahat.evaluate({"a": values}, blocks="holdout").cautions
        if caution.code == "neighbours_alike"
    ]

    assert "with that of the next row is 0.66." in message
    assert "too short by a factor of at least about 1.7;" in message


@pytest.mark.parametrize(
    ("losses", "options"),
    [
        pytest.param({"a": draw_dependent(9, 0.99, 3)}, {}, id="few rows"),
        pytest.param(
            {"a": draw_dependent(60, 0.9, 3)}, {"cluster": np.arange(60) // 4}, id="clusters"
        ),
        pytest.param(
            {"a": np.sort(draw_dependent(60, 0.9, 3)), "b": draw_dependent(60, 0.9, 3)},
            {},
            id="sorted by a loss",
        ),
        pytest.param({"a": np.random.default_rng(3).random(60)}, {}, id="independent rows"),
        pytest.param(
            {"a": np.random.default_rng(3).random(60) + np.repeat(np.arange(6.0), 10)},
            {"blocks": "random", "block": np.repeat(np.arange(6), 10)},
            id="means of folds differ",
        ),
        pytest.param(
            {"a": np.tile(np.sort(draw_dependent(20, 0.9, 3)), 3)},
            {"blocks": "source", "block": np.repeat(["x", "y", "z"], 20)},
            id="sorted in each source",
        ),
        pytest.param(
            {"a": draw_dependent(60, 0.9, 3)},
            {"blocks": "random", "block": np.arange(60) // 3},
            id="three rows in a fold",
        ),
    ],
)
def test_exact_there_is_no_caution(losses: Any, options: Any) -> None:
    result = thetahat.evaluate(losses, **{"blocks": "holdout", **options})

    assert not list_subjects(result.cautions)


def test_exact_small_samples_get_the_caution() -> None:
    result = thetahat.evaluate({"a": draw_dependent(20, 0.9, 0)}, blocks="holdout")

    assert list_subjects(result.cautions) == ["the loss of 'a'"]


@pytest.mark.parametrize(
    ("factor", "p_value", "n_tests", "expected"),
    [
        (1.1, 0.01, 1, True),
        (1.09, 1e-9, 1, False),
        (3.0, 0.0101, 1, False),
        (1.2, 0.002, 5, True),
        (1.2, 0.00201, 5, False),
    ],
)
def test_limit_the_factor_and_the_chance_of_a_false_alarm(
    factor: float, p_value: float, n_tests: int, *, expected: bool
) -> None:
    """A factor of 1.1, and a chance of .01 that all tests of a result share."""
    found = RowDependence(correlation=0.5, factor=factor, p_value=p_value)

    assert found.depend_on_each_other(n_tests) is expected


def prepare(n: int, n_pairs: int = 1, **columns: Any) -> NeighbourTests:
    block = columns.pop("block", np.zeros(n, dtype=np.intp))
    layout = build_layout(columns.pop("kind", BlockKind.HOLDOUT), block)
    values = np.random.default_rng(8).random((2, n))
    table = table_of(layout, dict(zip("ab", values, strict=True)))
    return NeighbourTests.prepare(table, n_pairs)


def test_limit_ten_rows_and_a_thousand_pairs_are_tested() -> None:
    assert prepare(9).rows is None
    assert prepare(10).rows is not None
    assert prepare(10, n_pairs=1000).n_pairs == 1000
    assert prepare(10, n_pairs=1001).n_pairs == 0


def test_limit_blocks_of_four_rows_are_tested() -> None:
    for of_each, usable in ((3, False), (4, True)):
        block = np.repeat(np.arange(12), of_each)
        found = prepare(len(block), kind=BlockKind.RANDOM, block=block)
        assert (found.rows is not None) is usable


def test_exact_a_model_without_errors_is_not_sorted() -> None:
    losses = {"a": (draw_dependent(80, 0.9, 4) > 1) * 1.0, "perfect": np.zeros(80)}
    result = thetahat.evaluate(losses, blocks="holdout")

    assert list_subjects(result.cautions) == ["the loss of 'a'"]


@pytest.mark.parametrize("blocks", ["source", "random"])
def test_exact_rows_of_sources_and_folds_in_any_order(blocks: str) -> None:
    """The rows of a block keep their order; blocks may stand together or in turn."""
    series, rng = [draw_dependent(25, 0.5, seed) for seed in range(8)], np.random.default_rng(4)
    together, labels = np.concatenate(series), np.repeat([f"s{k}" for k in range(8)], 25)
    in_turn = np.arange(200).reshape(8, 25).T.ravel()
    for order in (np.arange(200), in_turn):
        losses = {"a": 3 + together[order], "b": rng.random(200)}
        result = thetahat.evaluate(losses, blocks=blocks, block=labels[order])
        (caution,) = [c for c in result.cautions if c.code == "neighbours_alike_within"]

        assert list_subjects(result.cautions) == ["the loss of 'a'"]
        noun = "source" if blocks == "source" else "fold"
        assert f"the next row of the same {noun}" in caution.message
        assert '"time"' not in caution.advice


def test_exact_repeats_are_tested_once() -> None:
    """Of two equal repeats the first is tested, for both have the same rows."""
    values = np.concatenate([draw_dependent(25, 0.5, seed) for seed in range(4)])
    once = measure_neighbours(values, 25, 25, 25, 25)
    block = np.repeat(np.arange(4), 25)
    result = thetahat.evaluate(
        {"a": np.tile(values, 2)},
        blocks="random",
        block=np.tile(block, 2),
        repeat=np.repeat([0, 1], 100),
        instance=np.tile(np.arange(100), 2),
    )
    (caution,) = [c for c in result.cautions if c.code == "neighbours_alike_within"]

    assert once is not None
    assert f"same fold is {once.correlation:.2f}." in caution.message


@pytest.mark.parametrize(
    ("truth", "expected"),
    [
        ([0, 0, 0, 1, 1, 1], True),
        (["b", "b", "b", "a", "a", "a"], True),
        ([0, 0, 1, 1, 0, 0], False),
        ([0.1, 0.2, 0.3, 0.5], True),
        ([0.5, 0.3, 0.3, 0.1], True),
        ([0.1, 0.3, 0.2, 0.5], False),
        ([1, 1, 1, 1], False),
    ],
)
def test_by_hand_tables_sorted_by_the_truth(truth: list[Any], expected: bool) -> None:  # noqa: FBT001
    n = len(truth)
    one = build_block_layout(BlockKind.HOLDOUT, [n])
    two = build_block_layout(BlockKind.RANDOM, [n, 4])

    assert find_splits_sorted_by_truth(np.array(truth), one).tolist() == [expected]
    mixed = np.array([*truth, truth[0], truth[-1], truth[0], truth[-1]])
    assert find_splits_sorted_by_truth(mixed, two).tolist() == [expected, False]
