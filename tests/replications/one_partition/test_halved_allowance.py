"""The rules with half of the allowance, by hand and against the library and scikit-learn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import f, t
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

import thetahat
from tests.replications.one_partition.test_designs import build_series
from thetahat.values.types import FloatArray, Target
from thetahat_replications.one_partition import halved_allowance
from thetahat_replications.one_partition.batch_learners import LEARNERS
from thetahat_replications.one_partition.fresh_designs import FIFTH, FOURTH, THIRD
from thetahat_replications.one_partition.halved_allowance import (
    CHOSEN,
    RULES,
    SETS,
    TODAY,
    AllowanceRule,
    build_tango,
)

PAGES = Path("docs/results/one_partition")


def draw_folds_that_differ() -> FloatArray:
    rng = np.random.default_rng(5)
    values: FloatArray = rng.uniform(size=60) + np.repeat([0.0, 1.0, 0.0, 1.0, 0.0], 12)
    means = values.reshape(5, 12).mean(axis=1)
    within = values.reshape(5, 12).var(axis=1, ddof=1).mean()
    assert f.sf(12 * means.var(ddof=1) / within, 4, 55) < 0.001
    return values


def build_ends(rule: AllowanceRule, losses: FloatArray, other: FloatArray | None) -> FloatArray:
    series = build_series(losses[None], None if other is None else other[None])
    return np.concatenate(rule.build_ends(series))


def test_by_hand_the_interval_of_a_difference() -> None:
    values = np.random.default_rng(5).uniform(size=60)

    ends = build_ends(CHOSEN, values, np.zeros(60))

    half = t.ppf(0.975, 59) * np.sqrt((1 / 60 + 0.6 / 59) * values.var(ddof=1))
    assert_allclose(ends, [values.mean() - half, values.mean() + half], rtol=1e-9)


def test_by_hand_the_interval_where_folds_differ() -> None:
    values = draw_folds_that_differ()
    means = values.reshape(5, 12).mean(axis=1)

    ends = build_ends(CHOSEN, values, np.zeros(60))

    half = t.ppf(0.975, 4) * np.sqrt((1 / 5 + 1 / 4) * means.var(ddof=1))
    assert_allclose(ends, [values.mean() - half, values.mean() + half], rtol=1e-9)
    assert CHOSEN.find_warned(build_series(values[None])).all()


@pytest.mark.parametrize("of", ["plain", "folds", "tail", "rates", "few", "errors of both"])
@pytest.mark.parametrize("is_difference", [False, True])
def test_exact_the_chosen_interval_is_that_of_the_library(of: str, *, is_difference: bool) -> None:
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

    ours = build_ends(CHOSEN, losses, other if is_difference else None)

    parts = {"a": losses.reshape(5, 12).tolist(), "b": other.reshape(5, 12).tolist()}
    result = thetahat.evaluate(parts, blocks="random", better="lower")
    theirs = result.comparisons[0] if is_difference else result.models["a"]
    assert theirs.recommended is not None
    interval = theirs.recommended[Target.THESE_SOURCES]
    if of == "few" and not is_difference:
        ours = np.maximum(ours, 0.0)  # the library knows that no rate is below 0
    assert_allclose(ours, np.array([interval.lower, interval.upper], dtype=float), rtol=1e-9)


@pytest.mark.parametrize("is_difference", [False, True])
def test_exact_a_tail_keeps_the_allowance_of_today(*, is_difference: bool) -> None:
    losses = np.random.default_rng(6).lognormal(sigma=2, size=60)
    other = np.random.default_rng(7).uniform(size=60) if is_difference else None
    without = replace(CHOSEN, in_tails=0.0)

    lengths = [np.ptp(build_ends(rule, losses, other)) for rule in (CHOSEN, without)]

    allowance = 0.6 if is_difference else 0.52
    ratio = (59 + 60) / (59 + 60 * allowance)
    assert_allclose(lengths[0] / lengths[1], np.sqrt(ratio), rtol=1e-9)


def test_exact_few_discordant_instances_have_the_allowance_of_differences() -> None:
    losses, other = np.zeros((2, 60))
    losses[:3] = 1.0

    ends = [build_ends(rule, losses, other) for rule in (CHOSEN, TODAY)]

    assert tuple(ends[0]) == build_tango(60, 3, 0, 0.6)
    assert np.ptp(ends[0]) < np.ptp(ends[1])


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


def test_against_sklearn_the_best_feature() -> None:
    x, y = FIFTH[5].draw(np.random.default_rng(8), 2, 60)

    ours = LEARNERS["best feature"](x, y, 6)

    for r in range(2):
        fitted = make_pipeline(SelectKBest(f_regression, k=1), LinearRegression())
        fitted.fit(x[r, 10:], y[r, 10:])
        assert_allclose(ours[r, :10], fitted.predict(x[r, :10]), rtol=1e-8)


def test_against_sklearn_the_nearest_mean_is_naive_bayes_with_equal_variances() -> None:
    x, y = FIFTH[3].draw(np.random.default_rng(8), 1, 60)

    ours = LEARNERS["nearest mean"](x, y, 6)

    fitted = GaussianNB(priors=[0.5, 0.5]).fit(x[0, 10:], y[0, 10:])
    fitted.var_[:] = 1.0
    assert_allclose(ours[0, :10], fitted.predict_proba(x[0, :10])[:, 1], rtol=1e-8)


def test_naive_the_median_and_the_waves_of_the_training_part() -> None:
    x, y = FIFTH[4].draw(np.random.default_rng(8), 1, 40)
    rng = np.random.default_rng(1)
    directions = rng.standard_normal((2, 20)) * np.sqrt(2)
    waves = np.cos(x[0] @ directions + rng.uniform(0, 6, 20))

    fitted = Ridge(alpha=0.1).fit(waves[8:], y[0, 8:])

    ours = LEARNERS["random features"](x, y, 5)
    assert_allclose(ours[0, :8], fitted.predict(waves[:8]), rtol=1e-6)  # badly conditioned
    assert_allclose(LEARNERS["median"](x, y, 5)[0, :8], np.median(y[0, 8:]))


@pytest.mark.parametrize("name", [name for name in SETS if name != "choosing"])
def test_exact_no_design_is_judged_that_was_seen_before(name: str) -> None:
    before = SETS["choosing"] if name == "judging" else (*SETS["choosing"], *FIFTH)
    assert not {p.name for p in SETS[name]} & {p.name for p in before}
    assert not {p.draw for p in SETS[name]} & {p.draw for p in before}


@pytest.mark.parametrize("name", SETS)
def test_every_page_is_kept_with_its_columns(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    small = [
        replace(population, sizes=(40,), learners=population.learners[:2])
        for population in SETS[name]
        if population.is_heavy
    ]
    monkeypatch.setitem(halved_allowance.SETS, name, (*small[:2], replace(THIRD[0], sizes=(40,))))

    table = halved_allowance.build_table(name, 3, 1)

    groups = ["ordinary", "ordinary, 0/1 losses", "ordinary, squared losses", "heavy"]
    assert [(row[0], row[1]) for row in table.rows[:: len(RULES)]] == [
        (of, group) for of in ("model", "difference") for group in groups
    ]
    kept = (PAGES / f"halved_{name}.md").read_text()
    assert kept.startswith(f"# {table.title}\n")
    assert f"| {' | '.join(table.columns)} |" in kept
    assert all(f"| {rule.name} |" in kept for rule in RULES)
