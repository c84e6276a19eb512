"""What holds for every test of many models in the registry."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tests.cases import case, each
from tests.thetahat.descriptions import check_description
from tests.thetahat.multiple_tests.many import (
    assert_close,
    by_source,
    codes,
    details_of,
    in_a_holdout,
    outcome_of,
    table_over,
)
from tests.thetahat.smallest_layouts import (
    SMALLEST,
    check_p_value,
    check_plain,
    check_refusal,
    smallest_losses,
)
from thetahat.multiple_tests import MULTIPLE_TESTS
from thetahat.paired_tests._units import unit_target
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import build_layout, build_score_layout
from thetahat.values.types import BlockKind, Target
from thetahat.values.words import choose_words

EVERY = pytest.mark.parametrize("name", MULTIPLE_TESTS)
RESAMPLED = ("cross_validation_with_confidence", "model_confidence_set")
IN_CLOSED_FORM = tuple(name for name in MULTIPLE_TESTS if name not in RESAMPLED)
BY_RANKS = tuple(name for name in IN_CLOSED_FORM if name != "cochran_q")
DRAWN = 5000  # resamples by default


def zero_one(seed: int, n: int = 24, k: int = 4) -> Any:
    return np.random.default_rng(seed).integers(0, 2, (n, k)).astype(np.float64)


def test_exact_names_of_the_tests_of_all_models() -> None:
    assert {"friedman", "iman_davenport", "nemenyi", "quade", "aligned_ranks", "cochran_q"} <= set(
        IN_CLOSED_FORM
    )
    assert set(RESAMPLED) <= set(MULTIPLE_TESTS)


@EVERY
def test_property_describes_itself(name: str) -> None:
    check_description(MULTIPLE_TESTS[name].info, name)


@EVERY
def test_property_is_a_frozen_dataclass_with_defaults(name: str) -> None:
    method: Any = MULTIPLE_TESTS[name]()

    assert method == MULTIPLE_TESTS[name]()
    with pytest.raises((dataclasses.FrozenInstanceError, AttributeError, TypeError)):
        method.info = None


@EVERY
@each("kind", BlockKind)
def test_property_refusals_agree_with_the_declared_blocks(name: str, kind: BlockKind) -> None:
    block = np.zeros(24) if kind is BlockKind.HOLDOUT else np.repeat(np.arange(4), 6)
    layout, method = build_layout(kind, block.astype(np.intp)), MULTIPLE_TESTS[name]()

    reason = method.inapplicable(layout, 3)

    assert (reason is None) == (kind in method.info.blocks)
    assert reason is None or name in reason
    if reason is None:
        assert "at least 3 models" in (method.inapplicable(layout, 2) or "")


@EVERY
def test_property_outcomes_are_plain_and_repeat(name: str) -> None:
    table = in_a_holdout(zero_one(341))
    for model in table.models.values():
        model.rows.setflags(write=False)

    outcome, again = outcome_of(name, table), outcome_of(name, table)

    assert outcome == again
    assert outcome.statistic is not None
    assert math.isfinite(outcome.statistic)
    assert 0 <= outcome.p_value <= 1
    assert outcome.unit == "instance"
    assert outcome.target is Target.THESE_MODELS
    assert details_of(outcome)["rows"] == 24
    assert json.loads(json.dumps(dict(outcome.details), allow_nan=False)) == outcome.details


@EVERY
@each("kind", BlockKind)
def test_property_the_target_is_one_that_the_method_declares(name: str, kind: BlockKind) -> None:
    block = np.zeros(24) if kind is BlockKind.HOLDOUT else np.repeat(np.arange(4), 6)
    table = table_over(build_layout(kind, block.astype(np.intp)), zero_one(346))
    if kind not in MULTIPLE_TESTS[name].info.blocks:
        return

    outcome = outcome_of(name, table)

    assert outcome.target in MULTIPLE_TESTS[name].info.targets
    assert outcome.target is unit_target(table.layout, outcome.unit)


@EVERY
@given(seed=st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_property_order_of_rows_and_models_does_not_matter(name: str, seed: int) -> None:
    rng, losses = np.random.default_rng(seed), zero_one(seed)
    mixed = losses[rng.permutation(24)][:, rng.permutation(4)]

    first, other = (outcome_of(name, in_a_holdout(x)) for x in (losses, mixed))

    error = math.sqrt(0.5 / DRAWN) if name in RESAMPLED else 0  # of the difference, at most
    assert_close(other.p_value, first.p_value, rtol=1e-9, atol=5.5 * error)


@pytest.mark.parametrize("name", BY_RANKS)
@given(seed=st.integers(0, 2**32), scale=st.sampled_from([2.0**-20, 4.0]))
@settings(max_examples=15, deadline=None)
def test_property_level_and_scale_do_not_matter(name: str, seed: int, scale: float) -> None:
    losses = np.random.default_rng(seed).integers(0, 16, (9, 4)) / 16

    plain, moved = (outcome_of(name, by_source(x)) for x in (losses, scale * (losses + 2)))

    assert_close(moved.p_value, plain.p_value, rtol=1e-9)


@EVERY
def test_degenerate_all_losses_equal(name: str) -> None:
    outcome = outcome_of(name, in_a_holdout(np.ones((12, 3))))

    assert outcome.p_value == 1
    assert outcome.statistic in (None, 0)
    assert codes(outcome) == ["no_difference"]


@EVERY
def test_degenerate_two_rows(name: str) -> None:
    outcome = outcome_of(name, in_a_holdout([[0, 1, 1], [1, 1, 0]]))

    assert 0 < outcome.p_value <= 1
    assert "few_units" in codes(outcome)


@EVERY
def test_degenerate_smallest_layouts(name: str) -> None:
    method: Any = MULTIPLE_TESTS[name]()
    for at, layout in SMALLEST.items():
        if (reason := method.inapplicable(layout, 3)) is not None:
            check_refusal(reason, name)
            continue
        drawn = smallest_losses(layout)
        for which in itertools.combinations_with_replacement(drawn, 3):
            if name == "cochran_q" and set(which) - {"zeros", "ones", "zeros and ones"}:
                continue  # it takes losses of 0 and 1
            with case(at, which):
                table = LossTable(layout, {f"m{i}": drawn[w] for i, w in enumerate(which)})
                outcome = outcome_of(name, table)
                check_plain(outcome.statistic, details_of(outcome))
                check_p_value(outcome.p_value)


@pytest.mark.parametrize("name", ["friedman", "iman_davenport", "quade", "aligned_ranks"])
def test_exact_mean_of_the_statistic_over_all_orders(name: str) -> None:
    """Given each row's losses, T has mean k - 1 over all orders within rows; F is undone first."""
    n, k, statistics = 4, 3, []
    losses = np.array([[0.0, 1.0, 1.0], [2.0, 3.0, 7.0], [5.0, 5.5, 9.0], [1.0, 4.0, 0.5]])
    orders = [list(order) for order in itertools.permutations(range(k))]
    for chosen in itertools.product(orders, repeat=n - 1):
        rows = [losses[0], *(row[order] for row, order in zip(losses[1:], chosen, strict=True))]
        outcome = outcome_of(name, by_source(rows))
        assert outcome.statistic is not None
        f = outcome.statistic
        is_f = name in {"iman_davenport", "quade"}
        statistics.append(n * (k - 1) * f / (n - 1 + f) if is_f else f)

    assert_close(np.mean(statistics), k - 1, rtol=1e-12)


@pytest.mark.calibration
@pytest.mark.parametrize("name", IN_CLOSED_FORM)
def test_calibrated_size_under_the_null(name: str) -> None:
    """Exchangeable models, 40 rows: p-values are uniform to 4.5 Monte-Carlo errors.

    3000 tables; a correct test fails one of the three bounds with probability below 1 in 40 000,
    but for what 40 rows leave of the approximation, which is below one error.
    """
    rng, n_tables = np.random.default_rng(342), 3000
    p_values = np.empty(n_tables)
    for i in range(n_tables):
        level = rng.random((40, 1))  # rows differ, models do not
        losses = rng.random((40, 4)) + 3 * level
        p_values[i] = outcome_of(
            name, in_a_holdout(losses < 2 if name == "cochran_q" else losses)
        ).p_value
    for alpha in (0.05, 0.2, 0.5):
        error = math.sqrt(alpha * (1 - alpha) / n_tables)
        assert abs((p_values <= alpha).mean() - alpha) < 4.5 * error


@EVERY
def test_calibrated_power(name: str) -> None:
    losses = np.random.default_rng(343).random((80, 4)) < np.array([0.1, 0.5, 0.5, 0.9])

    smallest = 1 / (DRAWN + 1) if name in RESAMPLED else 0
    assert outcome_of(name, in_a_holdout(losses)).p_value < 1e-4 + smallest


def test_against_scipy_mid_ranks() -> None:
    losses = np.random.default_rng(344).integers(0, 3, (70_000, 5)) / 4  # more than one chunk

    ours = details_of(outcome_of("friedman", in_a_holdout(losses)))["mean_ranks"].values()

    assert_close(list(ours), stats.rankdata(losses, axis=1).mean(axis=0), rtol=1e-12)


def test_exact_rows_are_block_means() -> None:
    losses = np.random.default_rng(345).integers(0, 8, (20, 3)) / 8
    block = np.tile(np.arange(5), 4)
    random = table_over(build_layout(BlockKind.RANDOM, block), losses)
    means = np.array([losses[block == b].mean(axis=0) for b in range(5)])

    outcome = outcome_of("friedman", random)

    assert outcome.unit == "block"
    assert details_of(outcome)["rows"] == 5
    assert outcome.statistic == outcome_of("friedman", by_source(means)).statistic
    assert codes(outcome) == ["ignores_training_overlap", "few_units"]


def test_exact_units_of_a_holdout() -> None:
    losses = zero_one(346)
    clustered = in_a_holdout(losses, cluster=np.repeat(np.arange(8), 3))

    assert outcome_of("quade", in_a_holdout(losses)).unit == "instance"
    assert outcome_of("quade", clustered).unit == "cluster"
    assert details_of(outcome_of("quade", clustered))["rows"] == 8
    assert details_of(outcome_of("quade", clustered, unit="instance"))["rows"] == 24


def test_exact_higher_scores_are_better() -> None:
    scores = np.random.default_rng(347).integers(0, 32, (6, 3)) / 32
    layout = build_score_layout(BlockKind.RANDOM, np.full(6, 90.0), np.full(6, 10.0), None, 1)
    models = {f"m{j}": BlockLosses(layout, scores=scores[:, j].copy()) for j in range(3)}

    outcome = outcome_of(
        "friedman",
        LossTable(layout, models).with_words(choose_words(layout.kind, higher_is_better=True)),
    )

    assert (
        details_of(outcome)["mean_ranks"]
        == details_of(outcome_of("friedman", by_source(-scores)))["mean_ranks"]
    )


def test_invalid_rows() -> None:
    method = MULTIPLE_TESTS["friedman"]
    single_block = build_layout(BlockKind.HOLDOUT, [0])
    repeats = build_score_layout(BlockKind.RANDOM, np.full(6, 9.0), np.full(6, 1.0), 3, 2)

    assert "two rows" in (method().inapplicable(single_block, 3) or "")
    assert "2 repeats" in (method().inapplicable(repeats, 3) or "")
