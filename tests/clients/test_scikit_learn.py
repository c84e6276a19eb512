"""Requests from what scikit-learn returns have its folds and give its numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RepeatedKFold,
    ShuffleSplit,
    check_cv,
    cross_val_predict,
    cross_validate,
)

from tests.service.kinds.run_requests import run_kind
from thetahat_client import from_cross_val_predict, from_cross_validate, from_grid_search

X, Y = make_classification(n_samples=63, n_features=4, random_state=3)
MODELS: dict[str, Any] = {"guess": DummyClassifier(), "logistic": LogisticRegression()}
FOLDS = KFold(5, shuffle=True, random_state=1)


def validate(cv: Any) -> dict[str, Any]:
    return {
        name: cross_validate(model, X, Y, cv=cv, return_indices=True)
        for name, model in MODELS.items()
    }


def test_exact_cross_validate_has_the_folds_of_scikit_learn() -> None:
    results = validate(RepeatedKFold(n_splits=5, n_repeats=2, random_state=1))
    request = from_cross_validate(results)
    evaluated = run_kind(request).result

    assert (request["folds"], request["repeats"], request["better"]) == (5, 2, "higher")
    assert request["n_test"] == [13, 13, 13, 12, 12] * 2
    assert request["n_train"] == [50, 50, 50, 51, 51] * 2
    for name, result in results.items():
        assert evaluated["models"][name]["mean"]["macro"] == pytest.approx(
            np.mean(result["test_score"])
        )
    assert evaluated["summary"]["best_model"] == "logistic"


def test_exact_splits_that_overlap_are_subsamples() -> None:
    request = from_cross_validate(validate(ShuffleSplit(6, test_size=0.2, random_state=1)))

    assert request["blocks"] == "subsamples"
    assert "folds" not in request
    assert run_kind(request).result["summary"]["best_model"] == "logistic"


def test_exact_a_grid_search_has_a_model_for_each_candidate() -> None:
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, cv=FOLDS).fit(X, Y)
    request: Any = from_grid_search(search, FOLDS.split(X, Y))
    evaluated = run_kind(request).result

    assert list(request["split_scores"]) == ["C=0.01", "C=1.0"]
    means = search.cv_results_["mean_test_score"]
    for name, mean in zip(request["split_scores"], means, strict=True):
        assert evaluated["models"][name]["mean"]["macro"] == pytest.approx(mean)


@pytest.mark.parametrize(
    "cv", [None, 4, FOLDS, ShuffleSplit(3, test_size=0.3), list(FOLDS.split(X, Y))]
)
def test_exact_a_grid_search_has_the_splits_that_it_made_of_the_target(cv: Any) -> None:
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, cv=cv).fit(X, Y)
    splitter = check_cv(cv, Y, classifier=True)

    assert from_grid_search(search, y=Y) == from_grid_search(search, splitter.split(X, Y))


def test_exact_a_grid_search_over_groups_takes_them() -> None:
    groups = np.arange(63) % 9
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, cv=GroupKFold(4))
    search.fit(X, Y, groups=groups)

    assert from_grid_search(search, y=Y, groups=groups) == from_grid_search(
        search, GroupKFold(4).split(X, Y, groups)
    )
    with pytest.raises(ValueError, match="Give y, the target"):
        from_grid_search(search)


def test_exact_cross_val_predict_gives_the_errors_by_fold() -> None:
    predictions = {name: cross_val_predict(model, X, Y, cv=FOLDS) for name, model in MODELS.items()}
    request = from_cross_val_predict(Y, predictions, FOLDS.split(X, Y), loss="zero_one")
    evaluated = run_kind(request).result

    for name, predicted in predictions.items():
        wrong = predicted != Y
        blocks = [wrong[test].mean() for _, test in FOLDS.split(X, Y)]
        means = dict(
            zip(evaluated["block_labels"], evaluated["models"][name]["mean"]["blocks"], strict=True)
        )
        assert [means[k] for k in range(5)] == pytest.approx(blocks)
        assert evaluated["models"][name]["mean"]["pooled"] == pytest.approx(wrong.mean())


def test_invalid_results_are_explained() -> None:
    without = {"a": cross_validate(DummyClassifier(), X, Y, cv=FOLDS)}
    with pytest.raises(ValueError, match="return_indices=True"):
        from_cross_validate(without)
    with pytest.raises(ValueError, match="no result"):
        from_cross_validate({})
    other = KFold(5, shuffle=True, random_state=2)
    mixed = {
        name: cross_validate(DummyClassifier(), X, Y, cv=cv, return_indices=True)
        for name, cv in (("a", FOLDS), ("b", other))
    }
    with pytest.raises(ValueError, match="b and a were tested on different splits"):
        from_cross_validate(mixed)
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, cv=FOLDS).fit(X, Y)
    with pytest.raises(ValueError, match="The search has 5 splits, and there are 3"):
        from_grid_search(search, KFold(3).split(X, Y))
    half = [next(iter(FOLDS.split(X, Y)))]
    with pytest.raises(ValueError, match="is in no test part"):
        from_cross_val_predict(Y, {"a": Y}, half, loss="zero_one")
