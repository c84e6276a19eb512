"""The designs and moments that rules over one partition are judged on, by slow loops."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose
from scipy.stats import norm, skew

from thetahat.values.types import FloatArray
from thetahat_replications.one_partition.batch_learners import LEARNERS
from thetahat_replications.one_partition.designs import CHOOSING, CHOOSING_TAILS, JUDGING, UNSEEN
from thetahat_replications.one_partition.simulation import (
    LossSeries,
    compute_moments,
    compute_pair_moments,
)


def build_series(losses: FloatArray, other: FloatArray | None = None) -> LossSeries:
    return LossSeries(
        place=("drawn", losses.shape[1], 5, "l", "a"),
        is_difference=other is not None,
        moments=compute_moments(losses if other is None else losses - other, 5),
        pair=None if other is None else compute_pair_moments(losses, other),
    )


def test_exact_the_moments_of_a_pair() -> None:
    a, b = np.random.default_rng(3).gamma(1.0, size=(2, 2, 30))
    b[1] = 4.0

    pair = compute_pair_moments(a, b)

    assert_allclose(pair.largest_skewness, [max(skew(a[0]), skew(b[0])), skew(a[1])], rtol=1e-12)
    assert not pair.are_rates.any()


def test_by_hand_the_counts_of_a_pair_of_rates() -> None:
    a, b = np.array([[1.0, 1.0, 0.0, 0.0, 1.0]]), np.array([[1.0, 0.0, 1.0, 0.0, 0.0]])

    pair = compute_pair_moments(a, b)

    assert (pair.are_rates[0], pair.only_a[0], pair.only_b[0]) == (True, 2, 1)


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
