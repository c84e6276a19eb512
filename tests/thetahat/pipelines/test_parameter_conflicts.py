"""Parameters that scikit-learn refuses together, and those that it refuses for the data alone."""

from __future__ import annotations

from typing import Any

import pytest

from thetahat.errors import InvalidParameter
from thetahat.pipelines import build, read_learner_spec

LOC = ("learners", "a")


def built(name: str, params: dict[str, Any], task: str = "classification") -> None:
    build(read_learner_spec({"name": name, "params": params}, loc=LOC), task, loc=LOC)


@pytest.mark.parametrize(
    ("name", "params", "at"),
    [
        ("LogisticRegression", {"C": 2.5, "solver": "newton-cg", "dual": True}, "solver"),
        ("LinearSVC", {"loss": "hinge", "penalty": "l1"}, "loss"),
        ("LinearDiscriminantAnalysis", {"solver": "svd", "shrinkage": "auto"}, "shrinkage"),
        ("LinearDiscriminantAnalysis", {"shrinkage": 0.25}, "shrinkage"),
        ("RandomForestClassifier", {"bootstrap": False, "oob_score": True}, "bootstrap"),
        ("KNeighborsClassifier", {"algorithm": "kd_tree", "metric": "cosine"}, "metric"),
    ],
)
def test_against_sklearn_parameters_that_fail_on_all_data(name: str, params: Any, at: str) -> None:
    with pytest.raises(InvalidParameter, match="cannot be combined") as refused:
        built(name, params)

    assert refused.value.loc == (*LOC, "params", at)
    assert refused.value.value == params[at]


@pytest.mark.parametrize(
    ("name", "params", "task"),
    [
        ("LogisticRegression", {"solver": "liblinear", "dual": True}, "classification"),
        ("RandomForestClassifier", {"max_samples": 0.001, "bootstrap": True}, "classification"),
        ("DecisionTreeClassifier", {"min_weight_fraction_leaf": 0.4}, "classification"),
        ("DummyRegressor", {"strategy": "constant", "constant": 3}, "regression"),
        ("QuadraticDiscriminantAnalysis", {"tol": 0.5}, "classification"),
        ("KNeighborsClassifier", {"n_neighbors": 500, "weights": "distance"}, "classification"),
        ("ComplementNB", {"norm": True}, "classification"),  # refuses negative values
        ("PoissonRegressor", {"solver": "newton-cholesky"}, "regression"),
        ("RandomForestRegressor", {"criterion": "poisson"}, "regression"),
    ],
)
def test_exact_what_some_data_would_suit_is_taken(
    name: str, params: dict[str, Any], task: str
) -> None:
    built(name, params, task)


def test_exact_a_number_that_a_choice_asks_for_counts() -> None:
    built("DummyRegressor", {"strategy": "quantile", "quantile": 1}, "regression")

    with pytest.raises(InvalidParameter, match="specify the desired quantile"):
        built("DummyRegressor", {"strategy": "quantile"}, "regression")


def test_exact_a_class_weight_by_label_is_left_to_the_data() -> None:
    built("LogisticRegression", {"class_weight": {"yes": 2.0}, "solver": "lbfgs"})
