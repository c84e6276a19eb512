"""Naive Bayes of counts from dense and sparse columns, beside scikit-learn's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from tests.thetahat.learners.test_every_fast_path import fitted
from thetahat.cross_validation import build_rows
from thetahat.errors import InvalidParameter
from thetahat.learners import LEARNERS
from thetahat.losses.base import Predictions
from thetahat.schemes import SCHEMES
from thetahat.schemes.base import Split
from thetahat.tables.data import Data, build_data
from thetahat.tables.sparse import NumberedNames, build_sparse_columns

LEARNT = ["multinomial_naive_bayes", "bernoulli_naive_bayes"]
SPLITS: dict[str, dict[str, Any]] = {
    "k_fold": {"n_folds": 5},
    "holdout": {"test_size": 0.8},
    "leave_one_out": {},
    "leave_one_source_out": {},
    "bootstrap": {"n_resamples": 3},
}
WEIGHTS = ["none", "whole", "broken", "far apart"]


def table_of(*, sparse: bool, weights: str, whole: bool = True) -> Data:
    """Counts of 40 rows, 12 columns and three classes; class 2 is one row."""
    rng = np.random.default_rng(20_261_131)
    X = np.where(rng.random((40, 12)) < 0.3, rng.integers(1, 6, (40, 12)), 0).astype(float)
    X[:, 4] = 1.0  # a column that every row has
    X[7] = 0.0  # a row that has nothing
    X[7, 4] = 1.0
    X = X if whole else X * rng.exponential(size=12)
    y = rng.integers(0, 2, 40)
    y[11] = 2
    w = {
        "none": None,
        "whole": rng.integers(0, 4, 40).astype(float),
        "broken": rng.exponential(size=40),
        "far apart": 10.0 ** rng.uniform(-12, 4, 40),
    }[weights]
    csr = csr_array(X)
    features: dict[str, Any] = {f"x{j}": X[:, j] for j in range(12)}
    if sparse:
        features = {
            "x0": X[:, 0],
            "X": build_sparse_columns("X", csr[:, 1:], NumberedNames("x", 11, 1)),
        }
    return build_data(
        features, y, "classification", source=[f"s{i}" for i in np.arange(40) // 7], weight=w
    )


def splits_of(data: Data, scheme: str) -> Iterator[Split]:
    return SCHEMES[scheme](**SPLITS[scheme]).splits(build_rows(data), 3)


def fit_each(learner: str, data: Data, splits: list[Split], **params: Any) -> list[Predictions]:
    return [fitted(LEARNERS[learner](**params), data, split) for split in splits]


def fit_all_rows(learner: str, data: Data) -> None:
    LEARNERS[learner]().fit(
        data.features, data.y, weights=None, n_classes=2, rng=np.random.default_rng(0)
    )


def assert_same(predictions: Predictions, wanted: Predictions, tolerance: float = 1e-9) -> None:
    assert predictions.probabilities is not None
    assert wanted.probabilities is not None
    assert_array_equal(predictions.output, wanted.output)
    assert_allclose(predictions.probabilities, wanted.probabilities, rtol=tolerance, atol=1e-12)


@pytest.mark.parametrize("learner", LEARNT)
@pytest.mark.parametrize("scheme", SPLITS)
def test_exact_sparse_columns_say_what_dense_ones_say(learner: str, scheme: str) -> None:
    dense, sparse = (table_of(sparse=s, weights="whole") for s in (False, True))
    splits = list(splits_of(dense, scheme))
    pairs = zip(fit_each(learner, dense, splits), fit_each(learner, sparse, splits), strict=True)

    for a, b in pairs:
        assert_same(a, b, 1e-11)


@pytest.mark.parametrize("learner", LEARNT)
@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_against_sklearn_leave_one_out(learner: str, *, sparse: bool, weighted: bool) -> None:
    from sklearn.naive_bayes import BernoulliNB, MultinomialNB

    theirs = {"multinomial_naive_bayes": MultinomialNB, "bernoulli_naive_bayes": BernoulliNB}
    data = table_of(sparse=sparse, weights="broken" if weighted else "none")
    X = data.features.matrix()
    splits = list(splits_of(data, "leave_one_out"))

    for split, predictions in zip(splits, fit_each(learner, data, splits), strict=True):
        w = None if data.weight is None else data.weight[split.train]
        model = theirs[learner]().fit(X[split.train], data.y[split.train], w)
        assert predictions.probabilities is not None
        probabilities = predictions.probabilities[:, model.classes_]
        assert_allclose(probabilities, model.predict_proba(X[split.test]), rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("sparse", [True, False])
def test_exact_a_threshold_below_zero_makes_zeros_a_yes(*, sparse: bool) -> None:
    data = table_of(sparse=sparse, weights="none")
    splits = list(splits_of(data, "k_fold"))

    predictions = fit_each("bernoulli_naive_bayes", data, splits, threshold=-0.5)

    # all is yes, so nothing but the shares of the classes is learnt
    for split, prediction in zip(splits, predictions, strict=True):
        shares = np.bincount(data.y[split.train], minlength=3) / len(split.train)
        assert prediction.probabilities is not None
        assert_array_equal(prediction.output, np.full(len(split.test), np.argmax(shares)))
        assert np.ptp(prediction.probabilities, axis=0).max() == 0


@pytest.mark.parametrize(
    ("learner", "value", "words"),
    [
        ("multinomial_naive_bayes", -1.0, "takes counts, and column 'x' is -1.0 in row 1"),
        ("bernoulli_naive_bayes", None, "Column 'x' has no value in row 1"),
        ("multinomial_naive_bayes", None, "Column 'x' has no value in row 1"),
    ],
)
def test_invalid_counts_are_named(learner: str, value: Any, words: str) -> None:
    data = build_data({"x": [1.0, value, 0.0, 2.0]}, [0, 1, 0, 1], "classification")

    with pytest.raises(InvalidParameter, match=re.escape(words)):
        fit_all_rows(learner, data)


def test_invalid_a_negative_count_in_a_sparse_matrix_is_named() -> None:
    X = csr_array(np.array([[0, 1.0], [2, 0], [0, -3], [1, 1]]))
    columns = build_sparse_columns("X", X, NumberedNames("w", 2, 1))
    data = build_data({"age": [1.0, 2, 3, 4], "X": columns}, [0, 1, 0, 1], "classification")

    with pytest.raises(InvalidParameter, match=re.escape("column 'w2' is -3.0 in row 2")):
        fit_all_rows("multinomial_naive_bayes", data)
