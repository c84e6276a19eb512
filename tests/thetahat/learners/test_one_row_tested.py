"""A test part of one row is predicted as any other: nothing that is read may be written to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from thetahat.cross_validation import run_splits
from thetahat.learners import LEARNERS
from thetahat.learners.fast.discriminants.class_means import find_most_likely, gap, posterior
from thetahat.losses.zero_one import ZeroOne
from thetahat.schemes.base import Split
from thetahat.tables.data import build_data

CLASSIFIERS = (
    "linear_discriminant",
    "diagonal_discriminant",
    "nearest_mean",
    "gaussian_naive_bayes",
    "bernoulli_naive_bayes",
    "multinomial_naive_bayes",
    "logistic_regression",
    "nearest_neighbours",
)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_exact_one_row_among_folds_is_predicted_as_in_a_larger_part(name: str) -> None:
    rng = np.random.default_rng(4)
    y = np.arange(40) % 3
    X = (rng.poisson(3.0, size=(40, 4)) + 2 * np.eye(4)[y]).astype(np.float64)
    data = build_data({f"x{j}": X[:, j] for j in range(4)}, y.tolist(), "classification")
    learner: Any = LEARNERS[name]()
    train = np.arange(10, 40)

    def split(test: np.ndarray) -> Split:
        return Split(repeat=0, block=0, label=0, train=train, test=test)

    def predict_rows(tests: list[np.ndarray]) -> np.ndarray:
        splits = [split(test) for test in tests]
        done = run_splits("m", learner, data, splits, ZeroOne(), 0, keep_predictions=True)
        return np.concatenate([np.asarray(outcome.probabilities) for outcome in done])

    together = predict_rows([np.arange(10)])
    alone = np.concatenate([predict_rows([np.array([row])]) for row in range(10)])
    np.testing.assert_allclose(alone, together, rtol=1e-10, atol=1e-12)


def test_exact_what_is_asked_about_a_row_leaves_it_as_it_was() -> None:
    for joint in (np.array([[0.2, 1.5, 0.7]]), np.array([[1.0], [2.0]]), np.ones((1, 1))):
        before = joint.copy()
        gap(joint)
        posterior(joint, np.arange(joint.shape[1]), joint.shape[1])
        np.testing.assert_array_equal(joint, before)


@pytest.mark.parametrize("n_classes", [1, 2, 5])
def test_naive_which_class_leads_and_by_how_much(n_classes: int) -> None:
    joint = np.random.default_rng(8).integers(-3, 3, size=(n_classes, 200)).astype(np.float64)

    likeliest = find_most_likely(joint)

    ordered = np.sort(np.vstack([np.full(200, -np.inf), joint]), axis=0)
    np.testing.assert_array_equal(likeliest.place, joint.argmax(axis=0))
    np.testing.assert_array_equal(likeliest.best, ordered[-1])
    np.testing.assert_array_equal(likeliest.ahead, ordered[-1] - ordered[-2])
