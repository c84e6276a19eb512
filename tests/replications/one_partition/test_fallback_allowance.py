"""The rules that fall back over one partition, by hand and against the library and scikit-learn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binomtest, f, t
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.preprocessing import PolynomialFeatures

import thetahat
from tests.replications.one_partition.test_designs import build_series
from thetahat.values.types import FloatArray, Target
from thetahat_replications.one_partition import fallback_allowance
from thetahat_replications.one_partition.batch_learners import LEARNERS
from thetahat_replications.one_partition.fallback_allowance import (
    CHOSEN,
    RULES,
    SETS,
    TODAY,
    FallbackRule,
    build_tango,
    build_wilson,
)
from thetahat_replications.one_partition.fresh_designs import FOURTH, THIRD

PAGES = Path("docs/results/one_partition")


def draw_folds_that_differ() -> FloatArray:
    rng = np.random.default_rng(5)
    values: FloatArray = rng.uniform(size=60) + np.repeat([0.0, 1.0, 0.0, 1.0, 0.0], 12)
    means = values.reshape(5, 12).mean(axis=1)
    within = values.reshape(5, 12).var(axis=1, ddof=1).mean()
    assert f.sf(12 * means.var(ddof=1) / within, 4, 55) < 0.01
    return values


def build_ends(rule: FallbackRule, losses: FloatArray, other: FloatArray | None) -> FloatArray:
    series = build_series(losses[None], None if other is None else other[None])
    return np.concatenate(rule.build_ends(series))


def test_by_hand_the_interval_where_folds_differ() -> None:
    values = draw_folds_that_differ()
    means = values.reshape(5, 12).mean(axis=1)

    ends = build_ends(replace(CHOSEN, of_differences=0.9), values, np.zeros(60))

    over_instances = (1 / 60 + 0.9 / 59) * values.var(ddof=1)
    parts = 0.3 * (1 / 5 + 1 / 4) * means.var(ddof=1), 0.7 * over_instances
    degrees = sum(parts) ** 2 / (parts[0] ** 2 / 4 + parts[1] ** 2 / 59)
    half = t.ppf(0.975, degrees) * np.sqrt(sum(parts))
    assert_allclose(ends, [values.mean() - half, values.mean() + half], rtol=1e-9)


@pytest.mark.parametrize("of", ["plain", "folds", "tail", "rates", "few", "errors of both"])
@pytest.mark.parametrize("is_difference", [False, True])
def test_exact_the_interval_of_today_is_that_of_the_library(
    of: str, *, is_difference: bool
) -> None:
    rng = np.random.default_rng(9)
    other = rng.uniform(size=60)
    losses = {
        "plain": rng.uniform(size=60),
        "folds": draw_folds_that_differ(),
        "tail": rng.lognormal(sigma=2, size=60),
        "rates": (rng.uniform(size=60) < 0.4).astype(np.float64),
        "few": np.repeat([1.0, 0.0], [3, 57])[rng.permutation(60)],
        "errors of both": np.tile([1.0, 0.0, 0.0], 20),
    }[of]
    if of in {"rates", "few", "errors of both"}:
        other = np.roll(losses, 1) if of == "rates" else np.zeros(60)
        if of == "errors of both":
            other = losses.copy()
            other[:4] = 1 - other[:4]

    ours = build_ends(TODAY, losses, other if is_difference else None)

    parts = {"a": losses.reshape(5, 12).tolist(), "b": other.reshape(5, 12).tolist()}
    result = thetahat.evaluate(parts, blocks="random", better="lower")
    theirs = result.comparisons[0] if is_difference else result.models["a"]
    assert theirs.recommended is not None
    interval = theirs.recommended[Target.THESE_SOURCES]
    if of == "few" and not is_difference:
        ours = np.maximum(ours, 0.0)  # the library knows that no rate is below 0
    assert_allclose(ours, np.array([interval.lower, interval.upper], dtype=float), rtol=1e-9)


@pytest.mark.parametrize("is_difference", [False, True])
def test_exact_a_tail_makes_the_interval_longer(*, is_difference: bool) -> None:
    losses = np.random.default_rng(6).lognormal(sigma=2, size=60)
    other = losses + np.random.default_rng(7).uniform(size=60) if is_difference else None
    without = replace(CHOSEN, in_tails=(CHOSEN.of_models, CHOSEN.of_differences))

    lengths = [np.ptp(build_ends(rule, losses, other)) for rule in (CHOSEN, without)]

    ratio = (59 + 60 * 1.25) / (59 + 60 * 0.65) if is_difference else (59 + 120) / (59 + 42)
    assert_allclose(lengths[0] / lengths[1], np.sqrt(ratio), rtol=1e-9)


def test_exact_few_discordant_instances_have_the_allowance_of_differences() -> None:
    losses, other = np.zeros((2, 60))
    losses[:3] = 1.0

    ends = [build_ends(rule, losses, other) for rule in (CHOSEN, TODAY)]

    assert tuple(ends[0]) == build_tango(60, 3, 0, 0.65)
    assert np.ptp(ends[0]) < np.ptp(ends[1])


def test_against_scipy_the_intervals_of_rates() -> None:
    rates = np.array([0, 1, 7, 20]) / 20

    for k, lower, upper in zip((0, 1, 7, 20), *build_wilson(rates, 20.0), strict=True):
        theirs = binomtest(k, 20).proportion_ci(0.95, "wilson")
        assert_allclose([lower, upper], theirs, atol=1e-12)


@pytest.mark.parametrize("of", ["rates", "other losses"])
def test_exact_only_models_with_losses_of_0_and_1_have_intervals_of_rates(of: str) -> None:
    losses = np.random.default_rng(7).random((3, 60))
    losses = (losses < 0.3).astype(np.float64) if of == "rates" else losses
    series = build_series(losses)

    ends = CHOSEN.build_ends(series)
    others = replace(CHOSEN, of_rates=None).build_ends(series)

    expected = (
        build_wilson(losses.mean(axis=1), 60 / (1 + 0.8 * 60 / 59)) if of == "rates" else others
    )
    assert_allclose(ends, expected, rtol=1e-12)
    assert of != "rates" or not np.allclose(ends, others)


def test_against_sklearn_kernel_ridge() -> None:
    x, y = THIRD[4].draw(np.random.default_rng(8), 2, 40)

    ours = LEARNERS["kernel ridge"](x, y, 5)

    for r in range(2):
        train, test = np.arange(8, 40), np.arange(8)
        middle = y[r, train].mean()
        fitted = KernelRidge(kernel="rbf", gamma=1 / 6).fit(x[r, train], y[r, train] - middle)
        assert_allclose(ours[r, test], middle + fitted.predict(x[r, test]), rtol=1e-8)


def test_against_sklearn_products() -> None:
    x, y = FOURTH[5].draw(np.random.default_rng(8), 1, 60)

    ours = LEARNERS["products"](x, y, 6)

    features = PolynomialFeatures(2, include_bias=False).fit_transform(x[0])
    fitted = Ridge(alpha=1.0).fit(features[10:], y[0, 10:])
    assert_allclose(ours[0, :10], fitted.predict(features[:10]), rtol=1e-8)


def test_naive_the_kernel_mean() -> None:
    x, y = FOURTH[5].draw(np.random.default_rng(8), 1, 20)

    ours = LEARNERS["kernel mean"](x, y, 5)

    for i in range(20):
        train = [j for j in range(20) if j // 4 != i // 4]
        weights = [np.exp(-((x[0, i] - x[0, j]) ** 2).sum() * 4 / 5) for j in train]
        assert_allclose(ours[0, i], np.average(y[0, train], weights=weights), rtol=1e-8)


def test_exact_no_design_is_judged_that_was_seen_before() -> None:
    assert not {p.name for p in FOURTH} & {p.name for p in SETS["choosing"]}
    assert not {p.draw for p in FOURTH} & {p.draw for p in SETS["choosing"]}


@pytest.mark.parametrize("name", SETS)
def test_every_page_is_kept_with_its_columns(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    small = [
        replace(population, sizes=(40,), learners=population.learners[:2])
        for population in SETS[name]
        if population.is_heavy
    ]
    monkeypatch.setitem(fallback_allowance.SETS, name, (*small[:2], replace(THIRD[0], sizes=(40,))))

    table = fallback_allowance.build_table(name, 3, 1)

    kept = (PAGES / f"fallback_{name}.md").read_text()
    groups = ["ordinary", "ordinary, 0/1 losses", "ordinary, squared losses", "heavy"]
    assert [(row[0], row[1]) for row in table.rows[:: len(RULES)]] == [
        (of, group) for of in ("model", "difference") for group in groups
    ]
    assert kept.startswith(f"# {table.title}\n")
    assert f"| {' | '.join(table.columns)} |" in kept
    assert all(f"| {rule.name} |" in kept for rule in RULES)
