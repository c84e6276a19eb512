"""Log odds of learners that model the classes: decision values beside their probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.learners.fits import predicted, probabilities
from thetahat.cross_validation import build_rows, run_splits
from thetahat.learners import LEARNERS
from thetahat.learners.base import FastLearner
from thetahat.losses.base import Predictions
from thetahat.losses.hinge import Hinge
from thetahat.losses.logistic import LogisticLoss
from thetahat.losses.zero_one import ZeroOne
from thetahat.metrics.base import TruthAndPredictions
from thetahat.metrics.roc_auc import RocAuc
from thetahat.pipelines.scikit_learner import ScikitLearner
from thetahat.schemes import SCHEMES
from thetahat.tables.data import Data, build_data
from thetahat.values.types import FloatArray

GENERATIVE = [
    "bernoulli_naive_bayes",
    "diagonal_discriminant",
    "gaussian_naive_bayes",
    "linear_discriminant",
    "multinomial_naive_bayes",
    "nearest_mean",
]
RNG = np.random.default_rng(20_261_122)
N = 90
Y = np.arange(N) % 3 // 2  # thirty of the second class
COUNTS = RNG.poisson(np.where(Y[:, None] == 1, [3.0, 1.0, 6.0, 2.0], [2.0, 2.0, 4.0, 3.0]))
NUMBERS = RNG.normal(size=(N, 4)) * [1.0, 2.0, 0.5, 1.5] + Y[:, None] * [1.0, 0.5, -0.3, 0.0]


def rows_for(name: str) -> FloatArray:
    X = COUNTS if name == "multinomial_naive_bayes" else NUMBERS
    return np.asarray(X > 1 if name == "bernoulli_naive_bayes" else X, dtype=np.float64)


def data_of(X: FloatArray, y: np.ndarray = Y) -> Data:
    return build_data({f"x{j}": X[:, j] for j in range(X.shape[1])}, y, "classification")


def scores_of(predictions: Predictions) -> FloatArray:
    assert predictions.scores is not None
    return predictions.scores


def sklearn_log_odds(name: str, X: FloatArray, y: np.ndarray, at: FloatArray) -> FloatArray:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB

    if name == "linear_discriminant":
        return np.asarray(LinearDiscriminantAnalysis().fit(X, y).decision_function(at))
    kinds: dict[str, Any] = {
        "bernoulli_naive_bayes": BernoulliNB(),
        "gaussian_naive_bayes": GaussianNB(),
        "multinomial_naive_bayes": MultinomialNB(),
    }
    joint = kinds[name].fit(X, y).predict_joint_log_proba(at)
    return np.asarray(joint[:, 1] - joint[:, 0])


@pytest.mark.outside("scikit-learn's decision_function and joint log probabilities, run here")
@pytest.mark.parametrize("scheme", ["k_fold", "leave_one_out", "plain"])
@pytest.mark.parametrize(
    "name", sorted(set(GENERATIVE) - {"diagonal_discriminant", "nearest_mean"})
)
def test_against_sklearn_log_odds(name: str, scheme: str) -> None:
    X = rows_for(name)
    if scheme == "plain":
        predictions = predicted(LEARNERS[name](), X[::2], Y[::2], X, n_classes=2)
        expected = sklearn_log_odds(name, X[::2], Y[::2], X)
        assert_allclose(scores_of(predictions), expected, rtol=1e-9, atol=1e-9)
        return
    data = data_of(X)
    splits = list(SCHEMES[scheme]().splits(build_rows(data), 5))
    learner = LEARNERS[name]()
    outcomes = run_splits("m", learner, data, splits, ZeroOne(), 5, keep_predictions=True)
    has_fast_path = issubclass(LEARNERS[name], FastLearner)
    assert {outcome.fit_reason is None for outcome in outcomes} == {has_fast_path}
    for split, outcome in zip(splits, outcomes, strict=True):
        assert outcome.scores is not None
        expected = sklearn_log_odds(name, X[split.train], Y[split.train], X[split.test])
        assert_allclose(outcome.scores, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", ["diagonal_discriminant", "nearest_mean"])
def test_naive_log_odds_of_normal_classes(name: str) -> None:
    X, at = NUMBERS[::2], NUMBERS
    y = Y[::2]
    kind: Any = LEARNERS[name]
    predictions = predicted(kind(priors="shares"), X, y, at, n_classes=2)
    means = [X[y == c].mean(axis=0) for c in (0, 1)]
    variances = sum(((X[y == c] - means[c]) ** 2).sum(axis=0) for c in (0, 1)) / len(y)
    if name == "nearest_mean":
        variances = np.full(4, np.mean(variances))
    far = [((at - mean) ** 2 / variances).sum(axis=1) for mean in means]
    expected = (far[0] - far[1]) / 2 + np.log(np.mean(y == 1) / np.mean(y == 0))
    assert_allclose(scores_of(predictions), expected, rtol=1e-9)


@pytest.mark.parametrize("name", GENERATIVE)
def test_exact_log_odds_are_those_of_the_probabilities(name: str) -> None:
    predictions = predicted(LEARNERS[name](), rows_for(name), Y, rows_for(name), n_classes=2)
    p = probabilities(predictions)
    assert_allclose(scores_of(predictions), np.log(p[:, 1] / p[:, 0]), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", GENERATIVE)
@pytest.mark.parametrize("scheme", ["k_fold", "leave_one_out", "bootstrap"])
def test_exact_losses_of_log_odds_on_the_fast_and_the_plain_path(name: str, scheme: str) -> None:
    data = data_of(rows_for(name))
    splits = list(SCHEMES[scheme]().splits(build_rows(data), 5))
    learner = LEARNERS[name]()
    for loss in (Hinge(), LogisticLoss()):
        outcomes = run_splits("m", learner, data, splits, loss, 5)
        for split, outcome in zip(splits, outcomes, strict=True):
            X = rows_for(name)
            predictions = predicted(
                learner, X[split.train], Y[split.train], X[split.test], n_classes=2
            )
            assert_allclose(
                outcome.losses, loss.losses(Y[split.test], predictions), rtol=1e-8, atol=1e-8
            )


@pytest.mark.parametrize("name", ["gaussian_naive_bayes", "linear_discriminant", "nearest_mean"])
def test_exact_areas_do_not_saturate(name: str) -> None:
    # Every row is so far from the border that its probability is 0 or 1: of two classes that are
    # in the same order as x, but for one row, the area counts the pairs of that row.
    x = np.array([0.0, 1.0, 2.0, 3.0, 1010.0, 1000.0, 1001.0, 1002.0, 1003.0, 1011.0])
    y = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
    train = np.delete(np.arange(10), 4)
    predictions = predicted(LEARNERS[name](), x[train, None], y[train], x[:, None], n_classes=2)
    assert set(probabilities(predictions)[:, 1].tolist()) == {0.0, 1.0}
    judged = TruthAndPredictions(
        task="classification",
        truth=y,
        output=predictions.output,
        scores=predictions.scores,
        classes=(0, 1),
    )
    # 20 pairs with the four small rows, and 1 of 5 with the large one
    assert RocAuc().statistic(judged).value() == pytest.approx(21 / 25, abs=1e-12)


def test_exact_three_classes_have_no_log_odds() -> None:
    for name in GENERATIVE:
        X = rows_for(name)
        predictions = predicted(LEARNERS[name](), X, np.arange(N) % 3, X, n_classes=3)
        assert predictions.scores is None
        both = predicted(LEARNERS[name](), X, np.arange(N) % 2, X, n_classes=3)
        assert both.scores is None  # a training part without the third class


def test_degenerate_infinite_log_odds_are_no_decision_values() -> None:
    X, y = [[0.0], [0.0], [1.0], [1.0]], [0, 0, 1, 1]
    predictions = predicted(LEARNERS["nearest_mean"](), X, y, [[0.2], [0.5]], n_classes=2)
    assert predictions.scores is None
    assert probabilities(predictions)[:, 1].tolist() == [0.0, 0.5]


@pytest.mark.outside("scikit-learn's joint log probabilities, run here")
def test_against_sklearn_its_own_naive_bayes_has_log_odds() -> None:
    learner: Any = ScikitLearner("GaussianNB")
    assert learner.gives_scores
    predictions = predicted(learner, NUMBERS, Y, NUMBERS, n_classes=2)
    expected = sklearn_log_odds("gaussian_naive_bayes", NUMBERS, Y, NUMBERS)
    assert_allclose(scores_of(predictions), expected, rtol=1e-12)
