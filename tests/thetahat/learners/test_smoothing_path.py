"""Many smoothings over all splits at once, beside a fit for each and scikit-learn's search."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.learners.test_counts_over_splits import (
    LEARNT,
    SPLITS,
    WEIGHTS,
    splits_of,
    table_of,
)
from tests.thetahat.learners.test_every_fast_path import fitted
from thetahat.cross_validation import build_rows
from thetahat.cross_validation.fast_path import build_part, predict_split, prepare_fast_path
from thetahat.learners import LEARNERS
from thetahat.learners.base import OrdinaryFit, Part
from thetahat.learners.fast.naive_bayes import smoothing_path as _smoothing_path
from thetahat.learners.fast.naive_bayes.smoothing_path import SmoothingPath
from thetahat.schemes import SCHEMES
from thetahat.tables.data import Data, build_data

SMOOTHINGS = [1e-3, 0.5, 1.0, 20.0]


def path_of(learner: str, data: Data) -> SmoothingPath:
    made: Any = LEARNERS[learner]()
    path = made.over_path(
        SMOOTHINGS, data.features, data.y, weights=data.weight, n_classes=data.n_classes
    )
    assert isinstance(path, SmoothingPath)
    return path


@pytest.mark.parametrize("learner", LEARNT)
@pytest.mark.parametrize("scheme", SPLITS)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_naive_one_fit_per_smoothing(learner: str, scheme: str, weights: str) -> None:
    data = table_of(sparse=True, weights=weights)
    path = path_of(learner, data)

    for split in splits_of(data, scheme):
        predictions, fits = path.predict(build_part(split, data.n))
        assert fits.tolist() == [True] * 4
        assert predictions.probabilities is not None
        for at, smoothing in enumerate(SMOOTHINGS):
            params: dict[str, Any] = {"smoothing": smoothing}
            wanted = fitted(LEARNERS[learner](**params), data, split)
            rows = slice(at * len(split.test), (at + 1) * len(split.test))
            assert wanted.probabilities is not None
            assert_array_equal(predictions.output[rows], wanted.output)
            assert_allclose(
                predictions.probabilities[rows], wanted.probabilities, rtol=1e-8, atol=1e-12
            )


@pytest.mark.parametrize("learner", LEARNT)
@pytest.mark.parametrize("scheme", SPLITS)
def test_exact_each_says_what_it_says_by_itself(
    learner: str, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_smoothing_path, "MAX_CELLS", 100)  # so that not all go at once
    data = table_of(sparse=True, weights="whole")
    path = path_of(learner, data)
    alone = [prepare_fast_path(LEARNERS[learner](smoothing=s), data) for s in SMOOTHINGS]  # type: ignore[call-arg]  # of this family

    for split in splits_of(data, scheme):
        predictions, _ = path.predict(build_part(split, data.n))
        outcomes = [predict_split(shared, split, data.n) for shared in alone]
        outputs = [outcome.output for outcome in outcomes if not isinstance(outcome, OrdinaryFit)]
        probabilities: Any = [
            outcome.probabilities for outcome in outcomes if not isinstance(outcome, OrdinaryFit)
        ]
        assert_array_equal(predictions.output, np.concatenate(outputs))
        assert_array_equal(predictions.probabilities, np.concatenate(probabilities))


@pytest.mark.parametrize("learner", LEARNT)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_exact_all_rows_left_out_at_once(learner: str, weights: str) -> None:
    data = table_of(sparse=True, weights=weights)
    path = path_of(learner, data)

    predictions, fits = path.each_left_out(np.arange(data.n))

    assert fits.shape == (4, data.n)
    assert weights == "far apart" or fits.mean() > (0.9 if learner == LEARNT[0] else -1)
    assert not fits[:, 11].any() or weights == "whole"  # a row that is all of its class
    for split in splits_of(data, "leave_one_out"):
        wanted, _ = path.predict(build_part(split, data.n))
        row = int(split.test[0])
        for at in np.flatnonzero(fits[:, row]):
            assert predictions.probabilities is not None
            assert wanted.probabilities is not None
            assert predictions.output[at * data.n + row] == wanted.output[at]
            assert_array_equal(
                predictions.probabilities[at * data.n + row], wanted.probabilities[at]
            )


@pytest.mark.outside("scikit-learn GridSearchCV over MultinomialNB, run here on its own digits")
@pytest.mark.about("learners/multinomial_naive_bayes")
def test_against_sklearn_grid_search() -> None:
    from sklearn.datasets import load_digits
    from sklearn.model_selection import GridSearchCV
    from sklearn.naive_bayes import MultinomialNB

    X, y = load_digits(return_X_y=True)
    data = build_data({f"x{j}": X[:, j] for j in range(64)}, y, "classification")
    splits = list(SCHEMES["k_fold"](n_folds=4).splits(build_rows(data), 5))  # type: ignore[call-arg]  # of this scheme
    cv = [(split.train, split.test) for split in splits]
    theirs = GridSearchCV(MultinomialNB(), {"alpha": SMOOTHINGS}, cv=cv).fit(X, y)
    path = path_of("multinomial_naive_bayes", data)

    right = []
    for split in splits:
        predictions, _ = path.predict(build_part(split, data.n))
        right.append((predictions.output.reshape(4, -1) == y[split.test]).mean(axis=1))

    assert_allclose(np.mean(right, axis=0), theirs.cv_results_["mean_test_score"], rtol=1e-12)


@pytest.mark.parametrize("learner", LEARNT)
def test_degenerate_one_class_fits_none(learner: str) -> None:
    data = build_data({"x": [1.0, 2, 0, 1, 3]}, [0, 0, 0, 0, 1], "classification")
    path = path_of(learner, data)
    others = np.arange(4)

    for test in (np.array([4]), np.array([3, 4])):
        train = np.setdiff1d(np.arange(5), test)
        predictions, fits = path.predict(Part(train, test, test))
        assert not fits.any()
        assert predictions.output.shape == (4 * len(test),)
    assert path.predict(Part(np.delete(others, 0), others[:1], None))[1].tolist() == [False] * 4


@pytest.mark.parametrize("learner", LEARNT)
def test_invalid_counts_are_left_to_the_fit(learner: str) -> None:
    made: Any = LEARNERS[learner]()
    data = build_data({"x": [1.0, None, 0.0, 2.0]}, [0, 1, 0, 1], "classification")

    fit = made.over_path(SMOOTHINGS, data.features, data.y, weights=None, n_classes=2)

    assert isinstance(fit, OrdinaryFit)
    assert "no value in row 1" in fit.reason
