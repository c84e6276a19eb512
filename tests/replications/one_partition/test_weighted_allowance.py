"""The weighted rules over one partition, by hand and against scikit-learn and scipy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binomtest, f, t
from sklearn.kernel_ridge import KernelRidge

from tests.replications.one_partition.test_shorter_allowance import build_series
from thetahat_replications.one_partition import weighted_allowance
from thetahat_replications.one_partition.batch_learners import LEARNERS
from thetahat_replications.one_partition.fresh_designs import FRESH
from thetahat_replications.one_partition.weighted_allowance import (
    CHOSEN,
    RULES,
    SETS,
    WeightedRule,
    build_wilson,
)

PAGES = Path("docs/results/one_partition")


def test_by_hand_the_interval_where_folds_differ() -> None:
    values = np.random.default_rng(5).uniform(size=60) + np.repeat([0.0, 1.0, 0.0, 1.0, 0.0], 12)
    means = values.reshape(5, 12).mean(axis=1)
    within = values.reshape(5, 12).var(axis=1, ddof=1).mean()
    assert f.sf(12 * means.var(ddof=1) / within, 4, 55) < 0.01

    series = build_series(values[None], np.zeros((1, 60)))
    lower, upper = WeightedRule(allowance=0.9, weight=0.3).build_ends(series)

    over_instances = (1 / 60 + 0.9 / 59) * values.var(ddof=1)
    parts = 0.3 * (1 / 5 + 1 / 4) * means.var(ddof=1), 0.7 * over_instances
    degrees = sum(parts) ** 2 / (parts[0] ** 2 / 4 + parts[1] ** 2 / 59)
    half = t.ppf(0.975, degrees) * np.sqrt(sum(parts))
    assert_allclose([*lower, *upper], [values.mean() - half, values.mean() + half], rtol=1e-9)


def test_exact_the_extremes_of_the_weight() -> None:
    losses = np.random.default_rng(6).lognormal(sigma=2, size=(40, 60))
    series = build_series(losses)

    ends = [WeightedRule(allowance=1.0, weight=w).build_ends(series) for w in (0.0, 1.0)]
    today = RULES[0].build_ends(series)

    assert_allclose(ends[1], today, rtol=1e-9)
    assert (ends[0][1] - ends[0][0] < today[1] - today[0]).any()


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
    others = replace(CHOSEN, by_wilson=False).build_ends(series)

    expected = build_wilson(losses.mean(axis=1), 60 / (1 + 60 / 59)) if of == "rates" else others
    assert_allclose(ends, expected, rtol=1e-12)
    assert of != "rates" or not np.allclose(ends, others)


def test_against_sklearn_kernel_ridge() -> None:
    x, y = FRESH[4].draw(np.random.default_rng(8), 2, 40)

    ours = LEARNERS["kernel ridge"](x, y, 5)

    for r in range(2):
        train, test = np.arange(8, 40), np.arange(8)
        middle = y[r, train].mean()
        fitted = KernelRidge(kernel="rbf", gamma=1 / 6).fit(x[r, train], y[r, train] - middle)
        assert_allclose(ours[r, test], middle + fitted.predict(x[r, test]), rtol=1e-8)


def test_exact_no_design_is_judged_that_was_seen_before() -> None:
    assert not {p.name for p in FRESH} & {p.name for p in SETS["choosing"]}
    assert not {p.draw for p in FRESH} & {p.draw for p in SETS["choosing"]}


@pytest.mark.parametrize("name", SETS)
def test_every_page_is_kept_with_its_columns(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    small = [
        replace(population, sizes=(40,), learners=population.learners[:2])
        for population in SETS[name]
        if population.is_heavy
    ]
    monkeypatch.setitem(weighted_allowance.SETS, name, (*small[:2], replace(FRESH[0], sizes=(40,))))

    table = weighted_allowance.build_table(name, 3, 1)

    kept = (PAGES / f"weighted_{name}.md").read_text()
    groups = ["ordinary", "ordinary, 0/1 losses", "ordinary, squared losses", "heavy"]
    assert [(row[0], row[1]) for row in table.rows[:: len(RULES)]] == [
        (of, group) for of in ("model", "difference") for group in groups
    ]
    assert kept.startswith(f"# {table.title}\n")
    assert f"| {' | '.join(table.columns)} |" in kept
    assert all(f"| {rule.name} |" in kept for rule in RULES)
