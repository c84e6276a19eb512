"""Bounds of differences in groups, where the differences are skewed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize, stats

import thetahat
from thetahat.analyses.groups.columns import Grouping
from thetahat.analyses.groups.rows import GroupRows
from thetahat.analyses.losses.result import EvaluationResult
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind, FloatArray
from thetahat_replications.edges.gates_by_group import find_bounds

G, N = 5, 20
GROUP = np.repeat(np.arange(G), N)


def draw(seed: int, *, is_skewed: bool = True) -> FloatArray:
    rng = np.random.default_rng(seed)
    large = rng.exponential(1.0, G * N) * (rng.random(G * N) < 0.2)
    noise = rng.standard_normal(G * N)
    return large + 0.01 * noise if is_skewed else noise


def compare(difference: FloatArray, margin: float = 1.0, **options: Any) -> EvaluationResult:
    return thetahat.evaluate(
        {"new": 5 + difference, "old": np.full(len(difference), 5.0)},
        blocks="holdout",
        groups={"g": np.repeat(np.arange(G), len(difference) // G).tolist()},
        margin=margin,
        **options,
    )


def undo(q: float, g: float) -> float:
    """The u with Hall's transformation q, by search; g is bounded where that is too steep."""
    most = 2 * 0.99 / (abs(q) + math.sqrt(q * q + 2 * 0.99 / 3))
    g = math.copysign(min(abs(g), most), g)

    def miss(u: float) -> float:
        return float(u + g * u**2 / 3 + g**2 * u**3 / 27 + g / 6 - q)

    return float(optimize.brentq(miss, -60, 60, xtol=1e-14))


@pytest.mark.parametrize("sign", [1, -1])
def test_naive_the_farthest_of_three_ends(sign: int) -> None:
    x = sign * draw(4)
    by_group = x.reshape(G, N)
    items = compare(x).comparisons[0].groups["g"].items  # type: ignore[index]
    pooled_sd = math.sqrt(by_group.var(axis=1, ddof=1).mean())
    skewness = stats.skew(by_group, axis=1)
    q, q_all = stats.t.ppf(0.05, N - 1), stats.t.ppf(0.05, G * (N - 1))
    for g, item in enumerate(items):
        mean, error = float(by_group[g].mean()), float(by_group[g].std(ddof=1)) / math.sqrt(N)
        own, typical = skewness[g] / math.sqrt(N), skewness.mean() / math.sqrt(N)
        if sign > 0:
            ends = [
                mean - q * error,
                mean - undo(q, own) * error,
                mean - undo(q_all, typical) * pooled_sd / math.sqrt(N),
            ]
            assert_allclose(item.worse_by_at_most, max(ends), rtol=1e-9)
        else:  # the rare large differences are on the other side
            assert_allclose(item.worse_by_at_most, mean - undo(q, own) * error, rtol=1e-9)


def test_exact_differences_that_are_not_skewed_keep_t() -> None:
    x = draw(4, is_skewed=False)
    for g, item in enumerate(compare(x).comparisons[0].groups["g"].items):  # type: ignore[index]
        of_group = x.reshape(G, N)[g]
        reach = stats.t.ppf(0.95, N - 1) * of_group.std(ddof=1) / math.sqrt(N)
        assert_allclose(item.worse_by_at_most, of_group.mean() + reach, rtol=1e-9)


def draw_values_of_skewness(n: int, skewness: float) -> FloatArray:
    """Return n values whose mean has this skewness: evenly spaced ones, and one that is larger."""
    values = np.linspace(-1, 1, n)

    def raise_last(by: float) -> FloatArray:
        return np.append(values[:-1], values[-1] + by)

    def miss(by: float) -> float:
        return float(stats.skew(raise_last(by))) / math.sqrt(n) - skewness

    by = optimize.brentq(miss, 0.0, 50.0, xtol=1e-14)
    return raise_last(float(by))


@pytest.mark.parametrize(
    ("n", "skewness", "by_all"),
    [(25, 0.29, False), (25, 0.31, True), (24, 0.29, True), (100, 0.29, False), (100, 0.31, True)],
)
def test_exact_all_groups_count_from_a_skewness_of_the_mean_on(
    n: int, skewness: float, *, by_all: bool
) -> None:
    values = draw_values_of_skewness(n, skewness)
    scales = (1.0, 3.0, 3.0, 3.0, 3.0)
    difference = np.concatenate([scale * values for scale in scales])
    item = compare(difference).comparisons[0].groups["g"].items[0]  # type: ignore[index]
    q, q_all = stats.t.ppf(0.05, n - 1), stats.t.ppf(0.05, G * (n - 1))
    error = float(values.std(ddof=1)) / math.sqrt(n)
    pooled = error * math.sqrt(np.square(scales).mean())
    own = values.mean() - undo(q, skewness) * error
    of_all = values.mean() - undo(q_all, skewness) * pooled

    assert of_all > 1.5 * own
    assert item.worse_by_at_most == pytest.approx(of_all if by_all else own, rel=1e-9)


def test_a_model_worse_by_the_margin_does_not_pass() -> None:
    """By Hall's end of the group alone it passes in .11 of the samples."""
    rng, n, passed = np.random.default_rng(33), 300, np.zeros(2)
    layout = build_layout(BlockKind.HOLDOUT, np.zeros(G * N, dtype=np.intp))
    grouping = Grouping("g", ("g",), GROUP, tuple((g,) for g in range(G)))
    rows = GroupRows.build(grouping, layout)
    for _ in range(n):
        large = rng.exponential(1.0, G * N) * (rng.random(G * N) < 0.2)
        x = large - 0.2 + 0.01 * rng.standard_normal(G * N)
        passed += np.array(find_bounds(x, rows)) < 0
    item = compare(x, 0.1).comparisons[0].groups["g"].items[0]  # type: ignore[index]
    assert find_bounds(x, rows)[1] == pytest.approx(item.worse_by_at_most, rel=1e-9)
    assert passed[1] <= stats.binom.ppf(0.999, n, 0.02) < passed[0]


def test_exact_a_gate_that_passes_names_small_groups_of_skewed_differences() -> None:
    gate = thetahat.Gate(model="new", against="old", require="no_group_worse")  # type: ignore[arg-type]
    few, none = (
        compare(draw(4, is_skewed=is_skewed), 9.0, gate=gate).gate for is_skewed in (True, False)
    )
    assert few is not None
    assert none is not None
    assert (few.outcome, none.outcome) == ("pass", "pass")
    warning = "Groups with fewer than 25 of them may lack the rare large ones"
    assert warning in few.sentence
    assert "g = 0; g = 1; g = 2; g = 3; g = 4" in few.sentence
    assert warning not in none.sentence
