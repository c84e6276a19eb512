from __future__ import annotations

import numpy as np
import pytest

from thetahat.analyses.metrics.predictions import (
    collect_predictions,
    collect_scores,
    merge_rounding,
)
from thetahat.cross_validation import SplitOutcome, build_rows, run_splits
from thetahat.learners import LEARNERS
from thetahat.losses.zero_one import ZeroOne
from thetahat.metrics.roc_auc import RocAuc
from thetahat.schemes import SCHEMES
from thetahat.tables.data import build_data
from thetahat.values.types import FloatArray


def split(*, scores: FloatArray | None = None, shares: FloatArray | None = None) -> SplitOutcome:
    return SplitOutcome(
        repeat=0,
        block=0,
        label=0,
        n_train=5,
        test=np.arange(2),
        losses=np.zeros(2),
        output=np.zeros(2, dtype=np.intp),
        scores=scores,
        probabilities=shares,
    )


VALUES = np.array([-1.0, 2.0])
SHARES = np.array([[0.9, 0.1], [0.3, 0.7]])


def test_exact_decision_values_come_before_probabilities() -> None:
    both = split(scores=VALUES, shares=SHARES)

    scores = collect_scores([both, both], 2)
    assert scores is not None
    assert scores.tolist() == [-1, 2, -1, 2]


def test_exact_probabilities_where_there_is_nothing_else() -> None:
    scores = collect_scores([split(shares=SHARES)] * 2, 2)

    assert scores is not None
    assert np.array_equal(scores, np.concatenate([SHARES, SHARES]))


def test_exact_each_split_has_what_it_has() -> None:
    scores = collect_scores([split(scores=VALUES), split(shares=SHARES)], 2)

    assert scores is not None
    assert scores.tolist() == [-1, 2, 0.1, 0.7]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_degenerate_a_split_with_neither_leaves_none(n_classes: int) -> None:
    assert collect_scores([split(scores=VALUES), split()], n_classes) is None
    assert collect_scores([split(shares=SHARES), split()], n_classes) is None


def test_degenerate_decision_values_are_of_two_classes() -> None:
    assert collect_scores([split(scores=VALUES)], 3) is None


@pytest.mark.parametrize("name", ["linear_discriminant", "nearest_mean", "diagonal_discriminant"])
def test_naive_equal_rows_are_tied(name: str) -> None:
    """Half of the groups of equal rows had scores that differed in the last digits."""
    rng = np.random.default_rng(0)
    X = np.round(rng.integers(0, 3, size=(1001, 2)) * 0.1 + 0.3, 1)
    y = (X.sum(axis=1) + rng.normal(size=1001) * 0.3 > 0.8).astype(int)
    data = build_data({"a": X[:, 0], "b": X[:, 1]}, y, "classification")
    splits = list(SCHEMES["k_fold"]().splits(build_rows(data), 5))
    learner = LEARNERS[name]()
    outcomes = run_splits("m", learner, data, splits, ZeroOne(), 5, keep_predictions=True)
    for split, outcome in zip(splits, outcomes, strict=True):
        scores = outcome.scores
        assert scores is not None
        _, group = np.unique(X[split.test], axis=0, return_inverse=True)
        means = np.bincount(group, scores) / np.bincount(group)
        at = means[group]
        truth = y[split.test] == 1
        above = (at[truth][:, None] > at[~truth]).sum() + 0.5 * (
            group[truth][:, None] == group[~truth]
        ).sum()
        expected = above / (truth.sum() * (~truth).sum())
        area = RocAuc().statistic(collect_predictions([outcome], data, "m")).value()
        assert area == pytest.approx(expected, abs=1e-12)


def test_exact_only_rounding_is_merged() -> None:
    values = np.array([3.0, 1.0, 3.0 + 4e-16, 1.0 + 1e-9, -3.0])
    assert merge_rounding(values).tolist() == [3.0, 1.0, 3.0, 1.0 + 1e-9, -3.0]
    shares = np.array([1e-15, 3e-15, 0.5, 0.5 + 1e-16])
    assert merge_rounding(shares, is_share=True).tolist() == [1e-15, 3e-15, 0.5, 0.5]
    with_infinite = np.array([np.inf, 0.0])
    assert merge_rounding(with_infinite).tolist() == [np.inf, 0.0]
