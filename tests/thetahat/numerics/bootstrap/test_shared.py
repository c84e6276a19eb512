"""Means over resamples, shared by models and pairs."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from thetahat.errors import UnsupportedCombination
from thetahat.numerics.bootstrap import Replicates, SharedResamples, build_units, default_resamples
from thetahat.numerics.bootstrap import shared_resamples as shared_module
from thetahat.numerics.bootstrap.resamples import HashedResamples
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout, build_score_layout
from thetahat.values.types import BlockKind, FloatArray, MeanKind, Target

BLOCK = [0, 1, 1, 0, 1, 0, 1, 0, 2, 1, 2]
REPEATED: dict[str, Any] = {
    "block": [0, 0, 1, 1, 0, 1, 0, 1],
    "repeat": [0, 0, 0, 0, 1, 1, 1, 1],
    "instance": [0, 1, 2, 3, 0, 1, 2, 3],
}


def models_over(kind: BlockKind, block: Any = BLOCK, m: int = 3, **rest: Any) -> dict[str, Any]:
    block = [0] * len(block) if kind is BlockKind.HOLDOUT else block
    layout = build_layout(kind, block, **rest)
    rng = np.random.default_rng(17)
    return {
        f"m{i}": BlockLosses(layout, values=rng.normal(size=len(block)) + 100) for i in range(m)
    }


def naive(
    shared: SharedResamples, values: FloatArray, replicates: Replicates
) -> tuple[FloatArray, FloatArray]:
    """Return mean and standard error of every resample, one at a time, from its units."""
    units = build_units(shared.layout, replicates.units.unit)
    resamples = HashedResamples(units.starts, shared.seed, replicates.n_resamples)
    groups: list[list[float]] = [[] for _ in range(units.n_units)]
    codes = units.spread_over_rows(np.arange(float(units.n_units))[None, :])[0]
    for code, value in zip(codes, values, strict=True):
        groups[int(code)].append(float(value))
    means, errors = [], []
    for counts in resamples.counts(0, replicates.n_resamples).astype(np.intp):
        drawn = np.repeat(np.arange(units.n_units), counts)
        if units.sizes is not None:
            picked = [groups[int(u)] for u in drawn]
            size = sum(len(group) for group in picked)
            mean = sum(sum(group) for group in picked) / size
            c = len(picked)
            total = sum((sum(group) - mean * len(group)) ** 2 for group in picked)
            means.append(mean)
            errors.append(np.sqrt(c / (c - 1) * total) / size)
            continue
        strata = [
            np.array([np.mean(groups[int(u)]) for u in drawn[a:b]])
            for a, b in zip(units.starts[:-1], units.starts[1:], strict=True)
        ]
        means.append(np.mean([part.mean() for part in strata]))
        inside = [part.var(ddof=1) / len(part) if len(part) > 1 else 0.0 for part in strata]
        errors.append(np.sqrt(sum(inside)) / len(strata))
    return np.array(means), np.array(errors)


@pytest.mark.parametrize(
    ("kind", "rest"),
    [
        (BlockKind.RANDOM, {}),
        (BlockKind.RANDOM, REPEATED),
        (BlockKind.RANDOM, {"cluster": [0, 1, 1, 2, 3, 0, 4, 2, 2, 4, 4]}),
        (BlockKind.SOURCE, {}),
        (BlockKind.HOLDOUT, {}),
        (BlockKind.HOLDOUT, {"cluster": [0, 1, 1, 2, 3, 0, 4, 2, 2, 4, 4]}),
    ],
)
def test_naive_every_resample_of_models_and_pairs(kind: BlockKind, rest: dict[str, Any]) -> None:
    models = models_over(kind, **rest)
    shared = SharedResamples(models, 3, (("m0", "m1"), ("m0", "m2")), with_errors=True)
    later = SharedResamples(models, 3)

    for replicates, values in (
        (shared.of_model("m1", 200), models["m1"].rows),
        (later.of_model("m1", 200), models["m1"].rows),
        (
            shared.of_pair(("m0", "m2"), models["m0"].minus(models["m2"]), 200),
            models["m0"].rows - models["m2"].rows,
        ),
        (
            later.of_pair(("m0", "m2"), models["m0"].minus(models["m2"]), 200),
            models["m0"].rows - models["m2"].rows,
        ),
    ):
        means, errors = naive(shared, values, replicates)
        assert_allclose(replicates.estimate + replicates.deviations, means, rtol=1e-12, atol=1e-12)
        # both are differences of sums about 100
        assert_allclose(replicates.errors, errors, rtol=1e-9, atol=1e-9)
        assert_allclose(replicates.variance, means.var(ddof=1), rtol=1e-9)


def test_naive_pairs_of_one_model_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    models = models_over(BlockKind.HOLDOUT)
    pairs = (("m0", "m1"), ("m0", "m2"), ("m1", "m2"))
    together = SharedResamples(models, 3, pairs, with_errors=True)
    difference = models["m1"].minus(models["m2"])
    expected = together.of_pair(("m1", "m2"), difference).errors

    monkeypatch.setattr(shared_module, "MAX_DEFAULT_PRODUCTS", 1)
    apart = SharedResamples(models, 3, pairs, with_errors=True)
    assert_allclose(apart.of_pair(("m1", "m2"), difference).errors, expected, rtol=1e-12)
    assert "a standard error for each" in (apart.too_much(with_errors=True) or "")
    assert apart.too_much(with_errors=False) is None
    monkeypatch.setattr(shared_module, "MAX_DEFAULT_UNITS", 1)
    assert "Name it in the request to compute it" in (apart.too_much(with_errors=False) or "")


@pytest.mark.parametrize("strata", [1, 70])
def test_exact_merged_units_give_what_their_resamples_hold(strata: int) -> None:
    rng = np.random.default_rng(5)
    n = strata * 200
    layout = build_layout(
        BlockKind.HOLDOUT if strata == 1 else BlockKind.RANDOM, np.arange(n) % strata
    )
    values = rng.integers(0, 2, (2, n)).astype(np.float64)
    models = {name: BlockLosses(layout, values=v) for name, v in zip("ab", values, strict=True)}
    shared = SharedResamples(models, 3, (("a", "b"),), with_errors=True)

    for replicates in (
        shared.of_model("a", 400),
        shared.of_pair(("a", "b"), models["a"].minus(models["b"]), 400),
    ):
        # the variance of the ideal bootstrap, and its Monte-Carlo error sqrt(2 / B); z = 5
        ideal = replicates.standard_error**2 * (199 / 200)
        assert_allclose(replicates.variance, ideal, rtol=5 * np.sqrt(2 / 400))
        assert_allclose(replicates.errors.mean(), replicates.standard_error, rtol=0.02)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_exact_all_resamples_have_the_variance_of_the_ideal_bootstrap(n: int) -> None:
    # over all n^n resamples the variance of the mean is (1 - 1/n) s^2 / n; z = 5
    values = np.array([3.0, 5.0, 2.0, 8.0])[:n]
    every = np.array([np.mean(pick) for pick in product(values, repeat=n)])
    ideal = (1 - 1 / n) * values.var(ddof=1) / n
    layout = build_layout(BlockKind.HOLDOUT, [0] * n)
    replicates = SharedResamples({"m": BlockLosses(layout, values=values)}, 1).of_model("m", 20_000)

    assert_allclose(every.var(), ideal, rtol=1e-12)
    kurtosis = ((every - every.mean()) ** 4).mean() / ideal**2
    assert_allclose(replicates.variance, ideal, rtol=5 * np.sqrt((kurtosis - 1) / 20_000))
    possible, counts = np.unique(np.round(every, 9), return_counts=True)
    seen = np.round(replicates.estimate + replicates.deviations, 9)
    for value, count in zip(possible, counts / len(every), strict=True):
        share = (seen == value).mean()
        assert abs(share - count) < 5 * np.sqrt(count * (1 - count) / 20_000)


def test_exact_a_mean_far_above_the_spread_costs_no_digits() -> None:
    models = models_over(BlockKind.RANDOM)
    far = {k: BlockLosses(v.layout, values=v.rows + 2.0**30) for k, v in models.items()}

    near, away = (SharedResamples(m, 3, with_errors=True).of_model("m0") for m in (models, far))
    assert_allclose(away.deviations, near.deviations, atol=1e-6)
    assert_allclose(away.errors, near.errors, atol=1e-6)


def test_exact_targets_and_means_of_the_units() -> None:
    def describe(kind: BlockKind, unit: Any = None, **rest: Any) -> tuple[str, Target, MeanKind]:
        units = build_units(models_over(kind, **rest)["m0"].layout, unit)
        return units.unit, units.target, units.mean

    cluster = [0, 1, 1, 2, 3, 0, 4, 2, 2, 4, 4]
    models, macro, pooled = Target.THESE_MODELS, MeanKind.MACRO, MeanKind.POOLED
    assert describe(BlockKind.RANDOM) == ("instance", models, macro)
    assert describe(BlockKind.RANDOM, cluster=cluster) == ("cluster", models, pooled)
    assert describe(BlockKind.RANDOM, **REPEATED) == ("instance", models, pooled)
    assert describe(BlockKind.HOLDOUT) == ("instance", models, pooled)
    assert describe(BlockKind.SOURCE) == ("block", Target.NEW_SOURCE, macro)
    assert describe(BlockKind.RANDOM, "block") == ("block", Target.THESE_SOURCES, macro)
    assert describe(BlockKind.SOURCE, "instance") == ("instance", models, macro)


def test_exact_counts_by_row_follow_the_units() -> None:
    for kind in (BlockKind.RANDOM, BlockKind.SOURCE, BlockKind.HOLDOUT):
        layout = models_over(kind)["m0"].layout
        units = build_units(layout)
        rows = units.spread_over_rows(np.arange(float(units.n_units))[None, :])[0]
        if units.unit == "block":
            assert_array_equal(rows, BLOCK)
        else:
            order = np.arange(11) if layout.order is None else layout.order
            assert_array_equal(rows[order], np.arange(11))


@pytest.mark.parametrize(
    ("kind", "rest"),
    [
        (BlockKind.RANDOM, {}),
        (BlockKind.RANDOM, REPEATED),
        (BlockKind.SOURCE, {}),
        (BlockKind.HOLDOUT, {"cluster": [0, 1, 1, 2, 3, 0, 4, 2, 2, 4, 4]}),
    ],
)
def test_exact_counts_by_row_give_the_replicates(kind: BlockKind, rest: dict[str, Any]) -> None:
    models = models_over(kind, **rest)
    layout = models["m0"].layout
    replicates = SharedResamples(models, 3).of_model("m0", 120)
    units = build_units(layout)
    resamples = HashedResamples(units.starts, 3, 120)
    counts = units.spread_over_rows(
        np.concatenate([resamples.counts(a, a + 40) for a in (0, 40, 80)])
    )

    values = models["m0"].rows
    if replicates.units.mean is MeanKind.POOLED:
        means = counts @ values / counts.sum(axis=1)
    elif replicates.units.unit == "block":
        sizes = np.bincount(BLOCK)[BLOCK]
        means = counts / sizes @ values / (counts / sizes).sum(axis=1)
    else:
        means = np.mean(
            [(counts * (np.array(BLOCK) == k)) @ values / np.bincount(BLOCK)[k] for k in range(3)],
            axis=0,
        )
    assert_allclose(replicates.estimate + replicates.deviations, means, rtol=1e-12)


def test_exact_the_default_number_falls_with_the_units() -> None:
    numbers = [default_resamples(n) for n in (2, 1000, 2000, 10_000, 10**6)]
    assert numbers == [9999, 9999, 4999, 999, 999]


def test_invalid_units_that_there_are_not() -> None:
    scores = build_score_layout(BlockKind.RANDOM, np.full(4, 9.0), np.full(4, 3.0), None, 1)
    repeats = build_layout(BlockKind.RANDOM, REPEATED["block"], repeat=REPEATED["repeat"])
    alone = build_layout(BlockKind.RANDOM, [0, 1, 2])
    holdout = build_layout(BlockKind.HOLDOUT, [0], cluster=["a"])
    cases: list[tuple[Any, Any, str]] = [
        (scores, None, "one score per split"),
        (repeats, None, "needs an instance column"),
        (repeats, "block", "hold the same instances"),
        (alone, None, "every fold has one"),
        (alone, "cluster", "needs a cluster column"),
        (holdout, None, "at least two clusters"),
        (holdout, "block", "a holdout has only one"),
    ]

    for layout, unit, match in cases:
        with pytest.raises(UnsupportedCombination, match=match):
            build_units(layout, unit)
    assert build_units(scores, "block").n_units == 4


def test_degenerate_losses_that_do_not_vary() -> None:
    layout = build_layout(BlockKind.HOLDOUT, [0, 0, 0])
    replicates = SharedResamples({"m": BlockLosses(layout, values=np.full(3, 0.1))}, 1).of_model(
        "m"
    )

    assert replicates.is_constant
    assert (replicates.estimate, replicates.variance, replicates.standard_error) == (0.1, 0.0, 0.0)
    assert replicates.acceleration == 0.0
    assert_array_equal(replicates.errors, 0.0)


def test_exact_the_last_replicates_are_kept_for_the_losses_they_are_of() -> None:
    models = models_over(BlockKind.RANDOM, m=2)
    shared, pair = SharedResamples(models, 3), ("m0", "m1")
    there, back = models["m0"].minus(models["m1"]), models["m1"].minus(models["m0"])

    first = shared.of_pair(pair, there, 99)
    assert shared.of_pair(pair, there, 99) is first
    assert shared.of_pair(pair, back, 99).estimate == pytest.approx(-first.estimate)
    assert shared.of_model("m0", 99) is not shared.of_model("m0", 100)
    assert shared.of_model("m0", 99) is not shared.of_model("m0", 99, "block")
