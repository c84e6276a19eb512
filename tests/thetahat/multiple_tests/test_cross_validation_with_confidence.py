from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.thetahat.multiple_tests.many import (
    assert_close,
    codes,
    details_of,
    in_a_holdout,
    outcome_of,
    table_over,
)
from thetahat.errors import InvalidParameter
from thetahat.multiple_tests import MULTIPLE_TESTS
from thetahat.multiple_tests.cross_validation_with_confidence import centre_in_blocks
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind

NAME = "cross_validation_with_confidence"


# By hand with the orthant probability of a bivariate normal.
def test_by_hand_orthants() -> None:
    """Equal means give T = 0, and orthogonal losses of equal size correlations of 1/2.

    P(max(Z1, Z2) >= 0) = 1 - (1/4 + arcsin(1/2) / (2 pi)) = 1 - 1/4 - 1/12 = 2/3.
    """
    losses = np.array([[1.0, 1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, 1.0]])

    outcome = outcome_of(NAME, in_a_holdout(losses + 5), n_resamples=100_000, small_sample="none")

    assert details_of(outcome)["mean_losses"] == {"m0": 5.0, "m1": 5.0, "m2": 5.0}
    for p in details_of(outcome)["p_values"].values():
        assert abs(p - 2 / 3) < 4.5 * math.sqrt(2 / 9 / 100_000)
    assert (outcome.statistic, outcome.p_value) == (0, 1)


# By hand: the maxima are one normal and its opposite.
def test_by_hand_one_normal() -> None:
    """m1 and m2 have equal losses, so that all differences are 0 or one and the same.

    d = m1 - m0 is 2, 0, 2, 0, mean 1, centred 1, -1, 1, -1 with spread 1: T = sqrt(4) * 1 / 1 = 2
    for m1 and m2, whose reference is max(Z, 0): p = P(Z >= 2) = .02275. For m0 T = -2 and
    p = P(Z >= -2) = .97725.
    """
    d = np.array([2.0, 0.0, 2.0, 0.0])
    level = np.array([0.0, 1.0, 3.0, 2.0])

    outcome = outcome_of(
        NAME,
        in_a_holdout(np.column_stack([level, level + d, level + d])),
        n_resamples=100_000,
        small_sample="none",
    )

    assert_close(outcome.statistic, 2, rtol=1e-12)
    p_values = details_of(outcome)["p_values"]
    for name, p in (("m0", 0.97725), ("m1", 0.02275), ("m2", 0.02275)):
        assert abs(p_values[name] - p) < 4.5 * math.sqrt(p * (1 - p) / 100_000) + 1e-5
    assert details_of(outcome)["set"] == ["m0"]
    # the largest of all reference values is |Z|
    assert abs(outcome.p_value - 0.0455) < 4.5 * math.sqrt(0.0455 / 100_000)


def folds(seed: int, n: int = 60, k: int = 4, n_folds: int = 5) -> Any:
    rng = np.random.default_rng(seed)
    block = np.arange(n) % n_folds
    losses = rng.normal(size=(n, 1)) + rng.normal(size=(n, k)) + np.linspace(0, 0.3, k)
    return losses + 0.5 * block[:, np.newaxis], block


def test_naive_multipliers_for_every_instance() -> None:
    """The definition by loops with its own draws; ours come from the triangular factor."""
    losses, block = folds(361)
    n, k = losses.shape
    zeta = np.random.default_rng(362).standard_normal((20_000, n))

    outcome = outcome_of(
        NAME,
        table_over(build_layout(BlockKind.RANDOM, block), losses),
        n_resamples=20_000,
        small_sample="none",
    )

    statistics = []
    for m in range(k):
        t, reference = [], []
        for j in (j for j in range(k) if j != m):
            xi = losses[:, m] - losses[:, j]
            centred = xi.copy()
            for b in range(5):
                centred[block == b] -= xi[block == b].mean()
            sd = math.sqrt((centred**2).mean())
            t.append(math.sqrt(n) * xi.mean() / sd)
            reference.append(zeta @ centred / sd / math.sqrt(n))
        statistics.append(max(t))
        p = float((np.max(reference, axis=0) >= max(t)).mean())
        error = math.sqrt(2 * max(p * (1 - p), 1e-4) / 20_000)
        assert abs(details_of(outcome)["p_values"][f"m{m}"] - p) < 5 * error
    assert_close(outcome.statistic, max(statistics), rtol=1e-10)


def test_against_scipy_multivariate_normal() -> None:
    losses, block = folds(363, k=3)
    table = table_over(build_layout(BlockKind.RANDOM, block), losses)
    centred = np.column_stack([centre_in_blocks(m) for m in table.models.values()])

    outcome = outcome_of(NAME, table, n_resamples=100_000, small_sample="none")

    for m, others in ((0, [1, 2]), (1, [0, 2]), (2, [0, 1])):
        xi = centred[:, [m]] - centred[:, others]
        sd = np.sqrt((xi**2).mean(axis=0))
        top = (math.sqrt(60) * (losses[:, [m]] - losses[:, others]).mean(axis=0) / sd).max()
        correlation = xi.T @ xi / 60 / np.outer(sd, sd)
        p = 1 - stats.multivariate_normal(np.zeros(2), correlation).cdf([top, top])
        error = math.sqrt(p * (1 - p) / 100_000)
        assert abs(details_of(outcome)["p_values"][f"m{m}"] - p) < 4.5 * error + 2e-5


def test_exact_levels_of_blocks_and_order_of_rows_do_not_matter() -> None:
    losses, block = folds(364)
    # whole numbers, so that each block's means move by exactly as much
    losses = np.round(losses * 8) / 8
    mixed = np.random.default_rng(365).permutation(60)
    plain = outcome_of(NAME, table_over(build_layout(BlockKind.RANDOM, block), losses))
    moved = outcome_of(
        NAME,
        table_over(build_layout(BlockKind.RANDOM, block), losses + 16.0 * block[:, np.newaxis]),
    )
    other = outcome_of(
        NAME, table_over(build_layout(BlockKind.RANDOM, block[mixed]), losses[mixed])
    )

    assert details_of(moved)["p_values"] == details_of(plain)["p_values"]
    assert_close(other.statistic, plain.statistic, rtol=1e-10)
    # the triangular factor does not depend on the order, but for rounding: a draw may change side
    for name, p in details_of(plain)["p_values"].items():
        assert abs(details_of(other)["p_values"][name] - p) <= 2 / 5001


def test_exact_repeats_are_averaged_by_instance() -> None:
    losses, block = folds(366)
    second = np.random.default_rng(367).permutation(block)
    instance, repeat = np.tile(np.arange(60), 2), np.repeat([0, 1], 60)
    layout = build_layout(
        BlockKind.RANDOM, np.concatenate([block, second]), repeat=repeat, instance=instance
    )
    table = table_over(layout, np.vstack([losses, losses + 1]))

    outcome = outcome_of(NAME, table)

    assert details_of(outcome)["rows"] == 60
    first = table_over(build_layout(BlockKind.RANDOM, block), losses)
    other = table_over(build_layout(BlockKind.RANDOM, second), losses)
    for name, model in table.models.items():
        expected = (centre_in_blocks(first.models[name]) + centre_in_blocks(other.models[name])) / 2
        np.testing.assert_allclose(centre_in_blocks(model), expected, atol=1e-12)


def test_against_scipy_student_t_for_small_blocks() -> None:
    """Three models of which two are equal: the reference is one t with n - K degrees of freedom."""
    rng = np.random.default_rng(383)
    losses = rng.normal(size=(12, 2)) + np.array([0.0, 0.5])
    table = table_over(
        build_layout(BlockKind.RANDOM, np.repeat(np.arange(4), 3)), losses[:, [0, 1, 1]]
    )

    outcome = outcome_of(NAME, table, n_resamples=100_000)

    d = losses[:, 1] - losses[:, 0]
    pooled = (d.reshape(4, 3).var(axis=1, ddof=1)).mean()
    p = stats.t.sf(math.sqrt(12) * d.mean() / math.sqrt(pooled), 8)
    assert details_of(outcome)["small_sample"] == "student"
    assert abs(details_of(outcome)["p_values"]["m1"] - p) < 4.5 * math.sqrt(p * (1 - p) / 100_000)


def test_degenerate_a_constant_difference_is_certain() -> None:
    noise = np.random.default_rng(368).random((40, 2))
    losses = np.column_stack([noise[:, 0], noise[:, 0] + 0.25, noise[:, 1]])

    outcome = outcome_of(NAME, in_a_holdout(losses))

    assert outcome.statistic is None
    assert outcome.p_value == 1 / 5001
    assert details_of(outcome)["p_values"]["m1"] == 1 / 5001
    assert details_of(outcome)["p_values"]["m0"] > 0.3
    assert codes(outcome) == ["infinite_statistic"]


@pytest.mark.parametrize(("n", "p_value"), [(40, 1 / 5001), (5, 2 / 2**5)])
def test_degenerate_the_best_of_all_by_constant_differences(n: int, p_value: float) -> None:
    losses = np.random.default_rng(369).random((n, 1)) + np.array([0.0, 0.25, 0.5])

    outcome = outcome_of(NAME, in_a_holdout(losses))

    assert details_of(outcome)["p_values"] == {"m0": 1.0, "m1": p_value, "m2": p_value}
    assert details_of(outcome)["tied"] == ([["m0"]] if n == 40 else [["m0", "m1", "m2"]])


def test_invalid_layouts_and_parameters() -> None:
    clustered = in_a_holdout(np.zeros((4, 3)), cluster=[0, 0, 1, 1]).layout
    method: Any = MULTIPLE_TESTS[NAME]

    assert "model_confidence_set" in (method().inapplicable(clustered, 3) or "")
    one_out = build_layout(BlockKind.RANDOM, np.arange(6))
    assert "two instances in every fold" in (method().inapplicable(one_out, 3) or "")
    for name, value in (
        ("alpha", 0.0),
        ("n_resamples", 100_001),
        ("small_sample", "t"),
    ):
        with pytest.raises(InvalidParameter, match=name):
            method(**{name: value})


@pytest.mark.calibration
def test_calibrated_the_best_model_is_kept() -> None:
    """Five folds of 40, four models, two of them best: each is kept 1 - alpha of the time.

    800 tables, alpha .1; a correct method fails with probability below 1 in 300 000.
    """
    rng, n_tables, alpha = np.random.default_rng(370), 800, 0.1
    kept = np.zeros(4)
    layout = build_layout(BlockKind.RANDOM, np.arange(200) % 5)
    for _ in range(n_tables):
        losses = rng.normal(size=(200, 1)) + rng.normal(size=(200, 4)) + [0.0, 0.0, 0.1, 1.0]
        outcome = outcome_of(NAME, table_over(layout, losses), alpha=alpha, n_resamples=499)
        kept += [name in details_of(outcome)["set"] for name in ("m0", "m1", "m2", "m3")]
    error = math.sqrt(alpha * (1 - alpha) / n_tables)
    assert (kept[:2] / n_tables > 1 - alpha - 4.5 * error).all()
    assert kept[3] == 0
