"""Naive Bayes of counts, over all splits at once, beside its own fits and scikit-learn's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from tests.thetahat.learners.test_every_fast_path import fitted
from thetahat.cross_validation import build_rows
from thetahat.cross_validation.fast_path import predict_split, prepare_fast_path
from thetahat.learners import LEARNERS
from thetahat.learners.base import OrdinaryFit
from thetahat.learners.fast.naive_bayes import class_sums as _class_sums
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


def at_once(learner: str, data: Data, splits: list[Split], **params: Any) -> list[Predictions]:
    shared = prepare_fast_path(LEARNERS[learner](**params), data)
    outcomes = [predict_split(shared, split, data.n) for split in splits]
    assert all(isinstance(outcome, Predictions) for outcome in outcomes)
    return [outcome for outcome in outcomes if isinstance(outcome, Predictions)]


def assert_same(predictions: Predictions, wanted: Predictions, tolerance: float = 1e-9) -> None:
    assert predictions.probabilities is not None
    assert wanted.probabilities is not None
    assert_array_equal(predictions.output, wanted.output)
    assert_allclose(predictions.probabilities, wanted.probabilities, rtol=tolerance, atol=1e-12)


@pytest.mark.parametrize("learner", LEARNT)
@pytest.mark.parametrize("scheme", SPLITS)
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("sparse", [True, False])
def test_naive_fits_of_counts_say_the_same(
    learner: str, scheme: str, weights: str, *, sparse: bool, whole: bool
) -> None:
    data = table_of(sparse=sparse, weights=weights, whole=whole)
    splits = list(splits_of(data, scheme))

    params: dict[str, Any] = {"smoothing": 0.3}
    plain = LEARNERS[learner](**params)

    for split, predictions in zip(splits, at_once(learner, data, splits, **params), strict=True):
        assert_same(predictions, fitted(plain, data, split), 1e-8)


@pytest.mark.parametrize("learner", LEARNT)
@pytest.mark.parametrize("scheme", SPLITS)
def test_exact_sparse_columns_say_what_dense_ones_say(learner: str, scheme: str) -> None:
    dense, sparse = (table_of(sparse=s, weights="whole") for s in (False, True))
    splits = list(splits_of(dense, scheme))
    pairs = zip(at_once(learner, dense, splits), at_once(learner, sparse, splits), strict=True)

    for a, b in pairs:
        assert_same(a, b, 1e-11)


@pytest.mark.parametrize("learner", LEARNT)
def test_exact_rows_taken_in_pieces_change_nothing(
    learner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = table_of(sparse=True, weights="none")
    splits = list(splits_of(data, "leave_one_out"))
    whole = at_once(learner, data, splits)
    monkeypatch.setattr(_class_sums, "NUMBERS_IN_32_MB", 7)
    in_pieces = at_once(learner, table_of(sparse=True, weights="none"), splits)

    for a, b in zip(whole, in_pieces, strict=True):
        assert_same(a, b, 1e-13)


@pytest.mark.parametrize("learner", LEARNT)
@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_against_sklearn_leave_one_out(learner: str, *, sparse: bool, weighted: bool) -> None:
    from sklearn.naive_bayes import BernoulliNB, MultinomialNB

    theirs = {"multinomial_naive_bayes": MultinomialNB, "bernoulli_naive_bayes": BernoulliNB}
    data = table_of(sparse=sparse, weights="broken" if weighted else "none")
    X = data.features.matrix()
    splits = list(splits_of(data, "leave_one_out"))

    for split, predictions in zip(splits, at_once(learner, data, splits), strict=True):
        w = None if data.weight is None else data.weight[split.train]
        model = theirs[learner]().fit(X[split.train], data.y[split.train], w)
        assert predictions.probabilities is not None
        probabilities = predictions.probabilities[:, model.classes_]
        assert_allclose(probabilities, model.predict_proba(X[split.test]), rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("sparse", [True, False])
def test_exact_a_threshold_below_zero_makes_zeros_a_yes(*, sparse: bool) -> None:
    data = table_of(sparse=sparse, weights="none")
    splits = list(splits_of(data, "k_fold"))

    predictions = at_once("bernoulli_naive_bayes", data, splits, threshold=-0.5)

    # all is yes, so nothing but the shares of the classes is learnt
    for split, prediction in zip(splits, predictions, strict=True):
        shares = np.bincount(data.y[split.train], minlength=3) / len(split.train)
        assert prediction.probabilities is not None
        assert_array_equal(prediction.output, np.full(len(split.test), np.argmax(shares)))
        assert np.ptp(prediction.probabilities, axis=0).max() == 0


@pytest.mark.parametrize("learner", LEARNT)
def test_degenerate_what_leaves_one_class_is_left_to_the_fit(learner: str) -> None:
    data = build_data({"x": [1.0, 2, 0, 1]}, [0, 0, 0, 1], "classification")
    shared = prepare_fast_path(LEARNERS[learner](), data)
    outcomes = [predict_split(shared, split, 4) for split in splits_of(data, "leave_one_out")]

    assert [isinstance(outcome, OrdinaryFit) for outcome in outcomes] == [False, False, False, True]
    assert isinstance(outcomes[3], OrdinaryFit)
    assert outcomes[3].reason == "a training part has fewer than two classes"


@pytest.mark.parametrize(
    ("learner", "value", "words"),
    [
        ("multinomial_naive_bayes", -1.0, "takes counts, and column 'x' is -1.0 in row 1"),
        ("bernoulli_naive_bayes", None, "Column 'x' has no value in row 1"),
        ("multinomial_naive_bayes", None, "Column 'x' has no value in row 1"),
    ],
)
def test_invalid_counts_are_left_to_the_fit(learner: str, value: Any, words: str) -> None:
    data = build_data({"x": [1.0, value, 0.0, 2.0]}, [0, 1, 0, 1], "classification")
    shared = prepare_fast_path(LEARNERS[learner](), data)

    assert isinstance(shared, OrdinaryFit)
    assert words in shared.reason


def test_invalid_a_negative_count_in_a_sparse_matrix_is_named() -> None:
    X = csr_array(np.array([[0, 1.0], [2, 0], [0, -3], [1, 1]]))
    columns = build_sparse_columns("X", X, NumberedNames("w", 2, 1))
    data = build_data({"age": [1.0, 2, 3, 4], "X": columns}, [0, 1, 0, 1], "classification")
    shared = prepare_fast_path(LEARNERS["multinomial_naive_bayes"](), data)

    assert isinstance(shared, OrdinaryFit)
    assert "column 'w2' is -3.0 in row 2" in shared.reason


@pytest.mark.parametrize("learner", LEARNT)
def test_naive_a_smoothing_next_to_nothing(learner: str) -> None:
    data = table_of(sparse=True, weights="none")
    labels = np.where(data.y == 2, 1, data.y)
    data = replace(data, y=labels, classes=data.classes[:2])
    splits = list(splits_of(data, "k_fold"))
    params: dict[str, Any] = {"smoothing": 1e-200}
    plain = LEARNERS[learner](**params)

    for split, predictions in zip(splits, at_once(learner, data, splits, **params), strict=True):
        assert_same(predictions, fitted(plain, data, split), 1e-8)
