"""The shorter rules over one partition and what they are judged on, by hand and by slow loops."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm, skew, t

from thetahat.values.types import FloatArray
from thetahat_replications.one_partition import shorter_allowance
from thetahat_replications.one_partition.batch_learners import LEARNERS
from thetahat_replications.one_partition.designs import CHOOSING, CHOOSING_TAILS, JUDGING, UNSEEN
from thetahat_replications.one_partition.shorter_allowance import CHOSEN, RULES
from thetahat_replications.one_partition.simulation import (
    LossSeries,
    compute_moments,
    compute_pair_moments,
)

PAGES = Path("docs/results/one_partition")
TODAY = RULES[0]


def build_series(losses: FloatArray, other: FloatArray | None = None) -> LossSeries:
    return LossSeries(
        place=("drawn", losses.shape[1], 5, "l", "a"),
        is_difference=other is not None,
        moments=compute_moments(losses if other is None else losses - other, 5),
        pair=None if other is None else compute_pair_moments(losses, other),
    )


def test_by_hand_the_interval_of_a_difference() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.uniform(size=(2, 1, 60))
    values = (a - b)[0]
    r = np.corrcoef(a[0], b[0])[0, 1]

    lower, upper = replace(CHOSEN, of_unrelated=1.5).build_ends(build_series(a, b))

    variance = (1 / 60 + 1.5 * (1 - max(r, 0)) / 59) * values.var(ddof=1)
    half = t.ppf(0.975, 59) * np.sqrt(variance)
    assert_allclose([*lower, *upper], [values.mean() - half, values.mean() + half], rtol=1e-9)


def test_exact_of_two_rules_the_one_with_the_smaller_allowance_is_shorter() -> None:
    zero_one = np.tile([0.0, 1.0, 0.0], 20)[None]
    uniform = np.random.default_rng(4).uniform(size=(1, 60))

    for losses, least, most in ((zero_one, 0.9, 1.0), (uniform, 0.5, 1.0)):
        ends = [rule.build_ends(build_series(losses)) for rule in (CHOSEN, TODAY)]
        shorter, longer = (float(upper[0] - lower[0]) for lower, upper in ends)
        assert_allclose(
            shorter / longer, np.sqrt((59 + 60 * least) / (59 + 60 * most)), rtol=1e-3
        )  # Hall's ends depend on the skewness alone


@pytest.mark.parametrize("of", ["model", "difference"])
def test_exact_losses_with_a_tail_keep_the_interval(of: str) -> None:
    # One loss in a hundred is large: the skewness of 1 000 losses is 7, and that of their mean .22.
    losses = np.tile([*[0.0, 1.0] * 49, 0.0, 10.0], 10)[None]
    other = losses - np.tile([0.0, 1.0, 1.0], 334)[None, :1000] if of == "difference" else None
    series = build_series(losses, other)
    assert abs(series.moments.skewness[0]) / np.sqrt(1000) < 0.3

    before, kept, by_losses, by_neither = (
        rule.build_ends(series)
        for rule in (
            TODAY,
            CHOSEN,
            replace(CHOSEN, of_mean=1.0),
            replace(CHOSEN, of_mean=1.0, of_losses_themselves=8.0),
        )
    )

    assert (kept[0], kept[1]) == before
    assert (by_losses[0], by_losses[1]) == before
    assert by_neither[1] - by_neither[0] < before[1] - before[0]


def test_exact_the_moments_of_a_pair() -> None:
    a, b = np.random.default_rng(3).gamma(1.0, size=(2, 2, 30))
    b[1] = 4.0

    pair = compute_pair_moments(a, b)

    assert_allclose(pair.correlation, [np.corrcoef(a[0], b[0])[0, 1], 0.0], rtol=1e-12)
    assert_allclose(pair.largest_skewness, [max(skew(a[0]), skew(b[0])), skew(a[1])], rtol=1e-12)


def test_exact_the_probabilities_of_naive_bayes() -> None:
    x, y = UNSEEN[0].draw(np.random.default_rng(1), 2, 60)
    y[0, :50] = 0.0  # no row of class 1 is left outside the last fold

    ours = LEARNERS["naive Bayes"](x, y, 6)

    train, test = np.arange(10, 60), np.arange(10)
    classes = [train[y[1, train] == c] for c in (0, 1)]
    scores = [
        np.log(len(rows))
        + norm.logpdf(
            x[1, test],
            x[1, rows].mean(axis=0),
            np.sqrt(x[1, rows].var(axis=0) + 0.01 * x[1].var(axis=0)),
        ).sum(axis=1)
        for rows in classes
    ]
    assert_allclose(ours[1, test], 1 / (1 + np.exp(scores[0] - scores[1])), rtol=1e-9)
    assert np.all(ours[0, 50:] < 1e-6)


def test_exact_no_design_is_judged_that_was_seen_before() -> None:
    seen = (*CHOOSING, *CHOOSING_TAILS, *JUDGING)
    assert not {p.name for p in UNSEEN} & {p.name for p in seen}
    assert not {p.draw for p in UNSEEN} & {p.draw for p in seen}


@pytest.mark.parametrize("name", shorter_allowance.SETS)
def test_every_page_is_kept_with_its_columns(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    small = [
        replace(population, sizes=(40,), learners=population.learners[:2])
        for population in shorter_allowance.SETS[name]
        if population.is_heavy or population.of_classes
    ]
    monkeypatch.setitem(shorter_allowance.SETS, name, tuple(small))

    table = shorter_allowance.build_table(name, 3, 1)

    kept = (PAGES / f"shorter_{name}.md").read_text()
    groups = ["ordinary", "ordinary, 0/1 losses", "ordinary, squared losses", "heavy, 40 rows"]
    assert [(row[0], row[1]) for row in table.rows[:: len(RULES)]] == [
        (of, group) for of in ("model", "difference") for group in groups
    ]
    assert kept.startswith(f"# {table.title}\n")
    assert f"| {' | '.join(table.columns)} |" in kept
    assert all(f"| {rule.name} |" in kept for rule in RULES)
