from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from tests.thetahat.multiple_tests.many import (
    assert_close,
    by_source,
    codes,
    details_of,
    in_a_holdout,
    outcome_of,
    tabled,
)
from thetahat.errors import InvalidParameter
from thetahat.multiple_tests import MULTIPLE_TESTS
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind

NAME = "model_confidence_set"


@pytest.mark.outside(
    "arch 8.0.0: MCS(losses, size=.05, reps=200_000, block_size=1, method='R' and 'max', "
    "bootstrap='moving block', seed=1).compute(), on the same table"
)
@pytest.mark.parametrize(
    ("statistic", "eliminated", "theirs"),
    [
        ("range", ["m4", "m3", "m2", "m1"], [1.0, 0.00095, 0.000625, 0.0, 0.0]),
        ("max", ["m4", "m3", "m1", "m2"], [1.0, 0.14492, 0.14492, 0.00009, 0.0]),
    ],
)
def test_golden_arch(statistic: str, eliminated: list[str], theirs: list[float]) -> None:
    outcome = outcome_of(
        NAME, in_a_holdout(tabled()), statistic=statistic, n_resamples=100_000, small_sample="none"
    )

    p_values = list(details_of(outcome)["mcs_p_values"].values())
    for ours, p in zip(p_values, theirs, strict=True):
        # both are counts of random draws; 2e-5 is for p = 0, and for the one that we add
        error = math.sqrt(p * (1 - p) * (1 / 100_000 + 1 / 200_000))
        assert abs(ours - p) < 4.5 * error + 2e-5
    assert details_of(outcome)["eliminated"][:2] == eliminated[:2]
    assert details_of(outcome)["set"][0] == "m0"
    assert len(details_of(outcome)["set"]) == sum(p > 0.05 for p in theirs)


def test_by_hand_two_units() -> None:
    """Two units: a resample is both with chance 1/2, and one of them twice with 1/4 each.

    Differences of (m0, m1) are -1 and -3, mean -2: a resampled mean is off by -1, 0 or 1, so
    that the error is sqrt(1/2), T = 2 sqrt 2, and the reference is 0 or sqrt 2, too small ever.
    (m0, m2) has differences 0 and -1: error sqrt(1/8), t = 1/2 / sqrt(1/8) = sqrt 2, which half
    of the resamples reach; (m2, m1) has -1 and -2, t = 3 sqrt 2. So m1 leaves with p = 0 and m2
    with p = 1/2.
    """
    losses = [[0.0, 1.0, 0.0], [0.0, 3.0, 1.0]]

    outcome = outcome_of(NAME, in_a_holdout(losses), n_resamples=40_000, small_sample="none")

    # the error itself is estimated from the draws: 1.5 % is three of its Monte-Carlo errors
    assert_close(outcome.statistic, 3 * math.sqrt(2), rtol=0.015)
    assert details_of(outcome)["eliminated"] == ["m1", "m2"]
    assert_close(details_of(outcome)["mcs_p_values"]["m1"], 1 / 40_001, rtol=1e-12)
    at_hand = details_of(outcome)["mcs_p_values"]["m2"]
    assert abs(at_hand - 0.5) < 4.5 * math.sqrt(0.25 / 40_000)
    assert details_of(outcome)["set"] == ["m0", "m2"]
    assert details_of(outcome)["tied"] == [["m0", "m2"]]


def naive(losses: Any, shares: Any, resamples: Any, statistic: str) -> dict[int, float]:
    """The definition by loops, over given resamples (lists of units), all equally likely."""
    n, k = losses.shape

    def mean(units: Any, i: int) -> float:
        total: float = sum(shares[u] for u in units)
        return float(sum(shares[u] * losses[u, i] for u in units)) / total

    observed = [mean(range(n), i) for i in range(k)]
    drawn = [[mean(units, i) - observed[i] for i in range(k)] for units in resamples]
    left, p_values, largest = list(range(k)), {}, 0.0
    while len(left) > 1:
        if statistic == "range":
            versus = {(i, j): {i: 1.0, j: -1.0} for i in left for j in left if i != j}
        else:
            versus = {(i, i): {j: (i == j) - 1 / len(left) for j in left} for i in left}
        t, reference = {}, []
        for key, weights in versus.items():
            d = sum(w * observed[j] for j, w in weights.items())
            off = [sum(w * row[j] for j, w in weights.items()) for row in drawn]
            error = math.sqrt(sum(x * x for x in off) / len(off))
            t[key] = d / error
            reference.append([x / error for x in off])
        top = max(t.values())
        reached = [max(column) >= top - 1e-9 for column in zip(*reference, strict=True)]
        largest = max(largest, sum(reached) / len(reached))
        out = max(left, key=lambda i: max(v for key, v in t.items() if key[0] == i))
        p_values[out] = largest
        left.remove(out)
    return {**p_values, left[0]: 1.0}


@pytest.mark.parametrize("statistic", ["range", "max"])
def test_naive_all_resamples_of_clusters(statistic: str) -> None:
    """Five clusters of different sizes have 3125 resamples; ours are draws from them."""
    rng = np.random.default_rng(351)
    cluster = np.repeat(np.arange(5), [1, 2, 3, 4, 2])
    losses = rng.normal(size=(12, 4)) + 2 * np.array([0.0, 0.2, 0.5, 0.6])
    means = np.array([losses[cluster == c].mean(axis=0) for c in range(5)])
    shares = np.bincount(cluster) / 12
    exact = naive(means, shares, list(itertools.product(range(5), repeat=5)), statistic)

    outcome = outcome_of(
        NAME,
        in_a_holdout(losses, cluster=cluster),
        statistic=statistic,
        n_resamples=20_000,
        small_sample="none",
    )

    assert outcome.unit == "cluster"
    for model, p in exact.items():
        # the errors are estimated too, which moves T by up to 1 % or so
        error = math.sqrt(p * (1 - p) / 20_000)
        assert abs(details_of(outcome)["mcs_p_values"][f"m{model}"] - p) < 5 * error + 0.01


def test_exact_units_by_the_kind_of_block() -> None:
    block = np.repeat(np.arange(6), 4)
    method = MULTIPLE_TESTS[NAME]()
    for kind, unit in ((BlockKind.RANDOM, "instance"), (BlockKind.SOURCE, "block")):
        table = in_a_holdout(np.random.default_rng(355).random((24, 3)))
        layout = build_layout(kind, block)
        moved = type(table)(
            layout, {name: type(m)(layout, values=m.rows) for name, m in table.models.items()}
        )
        assert method.inapplicable(layout, 3) is None
        assert outcome_of(NAME, moved).unit == unit


def test_degenerate_equal_models_leave_together() -> None:
    losses = np.random.default_rng(356).random((40, 2))
    table = in_a_holdout(np.column_stack([losses[:, 0], losses[:, 0], losses[:, 1] + 0.4]))

    for statistic in ("range", "max"):
        outcome = outcome_of(NAME, table, statistic=statistic)
        assert (
            details_of(outcome)["mcs_p_values"]["m0"]
            == details_of(outcome)["mcs_p_values"]["m1"]
            == 1
        )
        assert details_of(outcome)["eliminated"][0] == "m2"


@pytest.mark.parametrize("statistic", ["range", "max"])
def test_degenerate_a_constant_difference_is_certain(statistic: str) -> None:
    losses = np.random.default_rng(357).random((40, 1)) + np.array([0.0, 0.25, 0.5])

    outcome = outcome_of(NAME, in_a_holdout(losses), statistic=statistic)

    assert outcome.statistic is None
    assert outcome.p_value == 1 / 5001
    assert codes(outcome) == ["infinite_statistic"]
    assert details_of(outcome)["eliminated"] == ["m2", "m1"]
    assert details_of(outcome)["set"] == ["m0"]


@pytest.mark.parametrize(("statistic", "differences"), [("range", (6, 2)), ("max", (3, 2))])
def test_exact_a_constant_difference_of_few_units_is_that_of_a_sign_test(
    statistic: str, differences: tuple[int, int]
) -> None:
    losses = np.random.default_rng(357).random((5, 1)) + np.array([0.0, 0.25, 0.5])

    outcome = outcome_of(NAME, in_a_holdout(losses), statistic=statistic)

    of_all, of_two = (number / 2**5 for number in differences)
    p_values = {"m0": 1.0, "m1": max(of_all, of_two), "m2": of_all}
    assert (outcome.p_value, details_of(outcome)["mcs_p_values"]) == (of_all, p_values)


def test_exact_a_large_common_level_loses_nothing() -> None:
    losses = np.random.default_rng(358).integers(0, 64, (30, 4)) / 64

    plain, moved = (outcome_of(NAME, in_a_holdout(x)) for x in (losses, losses + 2.0**30))

    assert moved.p_value == plain.p_value
    assert details_of(moved)["mcs_p_values"] == details_of(plain)["mcs_p_values"]
    assert_close(moved.statistic, plain.statistic, rtol=1e-9)


def test_exact_alpha_moves_the_set_alone() -> None:
    table = by_source(tabled())

    strict, loose = (outcome_of(NAME, table, statistic="max", alpha=a) for a in (0.3, 0.01))

    assert details_of(strict)["mcs_p_values"] == details_of(loose)["mcs_p_values"]
    assert details_of(strict)["set"] == ["m0"]
    assert details_of(loose)["set"] == ["m0", "m1", "m2"] or details_of(loose)["set"] == [
        "m0",
        "m2",
        "m1",
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("statistic", "both"),
        ("small_sample", "some"),
        ("alpha", 1.0),
        ("n_resamples", 98),
        ("unit", "row"),
    ],
)
def test_invalid_parameters(name: str, value: Any) -> None:
    method: Any = MULTIPLE_TESTS[NAME]
    with pytest.raises(InvalidParameter, match=name):
        method(**{name: value})


@pytest.mark.calibration
@pytest.mark.parametrize("statistic", ["range", "max"])
def test_calibrated_the_best_model_is_in_the_set(statistic: str) -> None:
    """With 200 instances the best of four models is in the set with probability 1 - alpha.

    600 tables, alpha .1: two models share the smallest mean, so that elimination has a choice.
    A correct method fails with probability below 1 in 300 000, were its level exact.
    """
    rng, n_tables, alpha, held, size = np.random.default_rng(359), 600, 0.1, 0, 0
    for _ in range(n_tables):
        losses = rng.normal(size=(200, 1)) + rng.normal(size=(200, 4)) + [0.0, 0.0, 0.1, 1.0]
        kept = details_of(
            outcome_of(
                NAME, in_a_holdout(losses), alpha=alpha, n_resamples=499, statistic=statistic
            )
        )["set"]
        held += {"m0", "m1"} <= set(kept)
        size += len(kept)
        assert "m3" not in kept  # ten standard errors away
    assert held / n_tables > 1 - alpha - 4.5 * math.sqrt(alpha * (1 - alpha) / n_tables)
    assert size / n_tables < 3.01


@pytest.mark.calibration
@pytest.mark.parametrize(("n", "low", "high"), [(100, 0.09, 0.12), (20, 0.09, 0.16)])
def test_calibrated_size_of_the_first_step(n: int, low: float, high: float) -> None:
    """Exchangeable models: the first step rejects about as often as it says, to 4.5 errors.

    600 tables at .1. With 20 units the allowance for estimated errors leaves up to .15; without
    it there would be .24.
    """
    rng, n_tables, alpha, rejected = np.random.default_rng(360), 600, 0.1, np.zeros(2)
    for _ in range(n_tables):
        losses = rng.normal(size=(n, 1)) + rng.normal(size=(n, 8))
        for i, kind in enumerate(("student", "none")):
            outcome = outcome_of(NAME, in_a_holdout(losses), n_resamples=299, small_sample=kind)
            rejected[i] += outcome.p_value <= alpha
    error = math.sqrt(alpha * (1 - alpha) / n_tables)
    assert low - 4.5 * error < rejected[0] / n_tables < high + 4.5 * error
    assert rejected[1] >= rejected[0]
    assert (rejected[1] / n_tables > 0.18) == (n == 20)
