"""Gaussian naive Bayes over all splits: many smoothings, rows left out one by one, awkward rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from tests.thetahat.learners.fits import probabilities
from tests.thetahat.learners.problems import PROBLEMS, problem
from tests.thetahat.learners.test_every_fast_path import fitted
from thetahat.learners.base import OrdinaryFit, Part
from thetahat.learners.fast.naive_bayes import gaussian_rows as _gaussian_rows
from thetahat.learners.fast.naive_bayes.gaussian_over_splits import GaussianSplits
from thetahat.learners.gaussian_naive_bayes import GaussianNaiveBayes
from thetahat.tables.data import Data, build_data
from thetahat.tables.features import Features
from thetahat.tables.sparse import NumberedNames, build_sparse_columns

SMOOTHINGS = [0.0, 1e-9, 0.01, 3.0]


def shared_of(data: Data, smoothing: float = 1e-9) -> GaussianSplits:
    made = GaussianNaiveBayes(variance_smoothing=smoothing).over_splits(
        data.features, data.y, weights=data.weight, n_classes=data.n_classes
    )
    assert isinstance(made, GaussianSplits)
    return made


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("name", PROBLEMS)
def test_naive_fits_without_each_row(name: str, smoothing: float) -> None:
    data = problem(name, "classification")
    learner = GaussianNaiveBayes(variance_smoothing=smoothing)
    with np.errstate(all="ignore"):
        predictions, fits = shared_of(data, smoothing).each_left_out(np.arange(data.n))

    for row in np.flatnonzero(fits):
        split: Any = Part(np.delete(np.arange(data.n), row), np.array([row]), None)
        wanted = fitted(learner, data, split)
        assert predictions.probabilities is not None
        assert wanted.probabilities is not None
        assert predictions.output[row] == wanted.output[0]
        assert_allclose(
            predictions.probabilities[row], wanted.probabilities[0], rtol=1e-8, atol=1e-8
        )
    easy = {"plain", "weighted", "far", "collinear", "tied"}
    assert name not in easy or fits.mean() > 0.9


@pytest.mark.outside("scikit-learn GaussianNB fitted without each row, run here on its own wine")
@pytest.mark.about("learners/gaussian_naive_bayes")
def test_against_sklearn_leave_one_out() -> None:
    from sklearn.datasets import load_wine
    from sklearn.model_selection import LeaveOneOut, cross_val_predict
    from sklearn.naive_bayes import GaussianNB

    X, y = load_wine(return_X_y=True)
    wanted = cross_val_predict(GaussianNB(), X, y, cv=LeaveOneOut(), method="predict_proba")
    data = build_data({f"x{j}": X[:, j] for j in range(X.shape[1])}, y, "classification")

    predictions, fits = shared_of(data).each_left_out(np.arange(len(y)))

    assert fits.all()
    assert predictions.probabilities is not None
    assert_allclose(predictions.probabilities, wanted, rtol=1e-7, atol=1e-10)


def test_exact_rows_taken_in_pieces_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    data = problem("weighted", "classification")
    part = Part(np.arange(12, 41), np.arange(12), np.arange(12))
    whole = shared_of(data).predict(part)
    monkeypatch.setattr(_gaussian_rows, "_ROWS_PER_BATCH", 5)
    in_pieces = shared_of(data).predict(part)

    assert not isinstance(whole, OrdinaryFit)
    assert not isinstance(in_pieces, OrdinaryFit)
    assert_allclose(probabilities(in_pieces), probabilities(whole), rtol=1e-12)


@pytest.mark.parametrize("apart", [10.0, 1e5])
def test_naive_classes_far_from_one_another(apart: float) -> None:
    rng = np.random.default_rng(20_261_240)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 2)) + apart * y[:, None]
    data = build_data({"a": X[:, 0], "b": X[:, 1]}, y, "classification")
    test = np.arange(20)
    part = Part(np.arange(20, 60), test, test)

    predictions = shared_of(data).predict(part)

    if apart > 1000:  # about the mean of all, ten digits of the spread within a class are gone
        assert isinstance(predictions, OrdinaryFit)
        assert predictions.reason == "a column hardly varies inside a class of the training part"
    else:
        assert not isinstance(predictions, OrdinaryFit)
        split: Any = part
        wanted = fitted(GaussianNaiveBayes(), data, split)
        assert_allclose(probabilities(predictions), probabilities(wanted), rtol=1e-8, atol=1e-12)


def test_invalid_no_weight_and_missing_values_are_left_to_the_fit() -> None:
    data = build_data({"x": [1.0, None, 0.0, 2.0]}, [0, 1, 0, 1], "classification")
    learner = GaussianNaiveBayes()
    for weights, words in (
        (None, "no value in row 1"),
        (np.zeros(4), "weights of the training part are zero"),
    ):
        made = learner.over_splits(data.features, data.y, weights=weights, n_classes=2)
        assert isinstance(made, OrdinaryFit)
        assert words in made.reason


def test_degenerate_one_class_fits_none() -> None:
    data = build_data({"x": [1.0, 2, 0, 4, 3]}, [0, 0, 0, 0, 1], "classification")

    predictions = shared_of(data).predict(Part(np.arange(4), np.array([4]), np.array([4])))

    assert isinstance(predictions, OrdinaryFit)


def test_degenerate_one_class_with_weight_is_left_to_the_fit() -> None:
    y = [0, 0, 0, 1, 1]
    data = build_data({"x": [1.0, 2, 0, 4, 3]}, y, "classification", weight=[1, 1, 1, 0, 0])

    _, fits = shared_of(data).each_left_out(np.arange(5))

    assert not fits.any()


def test_exact_sparse_columns_say_what_dense_ones_say() -> None:
    data = problem("tied", "classification")
    X = data.features.matrix()
    wide = build_sparse_columns("X", csr_array(X), NumberedNames("x", X.shape[1]))
    sparse = replace(data, features=Features((), (), wide=(wide,)))
    part = Part(np.arange(12, 41), np.arange(12), np.arange(12))

    results = [shared_of(item, 0.1).predict(part) for item in (data, sparse)]

    dense, other = (item for item in results if not isinstance(item, OrdinaryFit))
    assert_array_equal(probabilities(other), probabilities(dense))
