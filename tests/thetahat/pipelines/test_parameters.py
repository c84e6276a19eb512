"""Parameters of scikit-learn's classes, refused or taken before anything is fitted."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.thetahat.pipelines.tables import built
from thetahat.errors import InvalidParameter
from thetahat.pipelines import build, build_step, read_learner_spec, read_step_spec
from thetahat.pipelines.allowed_classes import (
    CLASSIFIERS,
    REGRESSORS,
    get_learner_tasks,
    load_class,
)

CASES: list[tuple[str, str, Any, str]] = [
    ("LogisticRegression", "c", 1.0, "(did you mean 'C'?); it has penalty, C, l1_ratio"),
    ("LogisticRegression", "C", -1.0, "C of LogisticRegression must be a number above 0"),
    ("LogisticRegression", "C", 0, "must be a number above 0"),
    ("LogisticRegression", "C", "1", "must be a number above 0"),
    ("LogisticRegression", "C", True, "must be a number above 0"),
    ("LogisticRegression", "C", None, "must be a number above 0"),
    ("LogisticRegression", "C", math.nan, "must be a number above 0"),
    ("LogisticRegression", "C", math.inf, "must be a number above 0"),
    ("LogisticRegression", "C", {"a": 1}, "must be a number above 0"),
    ("LogisticRegression", "solver", "adam", "must be one of 'lbfgs', 'liblinear', 'newton-cg'"),
    ("LogisticRegression", "class_weight", [2.0], "cannot be a list or an object"),
    ("LogisticRegression", "class_weight", "even", "must be an object or 'balanced' or null"),
    (
        "LogisticRegression",
        "max_iter",
        100_001,
        "max_iter of LogisticRegression must be at most 100000",
    ),
    ("LogisticRegression", "max_iter", 100.0, "must be a whole number at least 0"),
    ("LogisticRegression", "n_jobs", 4, "n_jobs of LogisticRegression cannot be set"),
    ("LogisticRegression", "verbose", 1, "verbose of LogisticRegression cannot be set"),
    ("LogisticRegression", "warm_start", True, "every training part is fitted from scratch"),
    ("LogisticRegression", "random_state", -1, "must be a whole number at least 0 and at most"),
    ("LogisticRegression", "fit_intercept", 1, "must be true or false"),
    ("SVC", "kernel", "precomputed", "cannot be 'precomputed': the features are not a kernel"),
    ("SVC", "kernel", "os.system", "must be one of 'linear', 'poly', 'rbf', 'sigmoid'"),
    ("SVC", "degree", 11, "degree of SVC must be at most 10"),
    ("KNeighborsClassifier", "metric", "precomputed", "the features are not distances"),
    ("KNeighborsClassifier", "metric", "pyfunc", "a Python function, which a request cannot send"),
    ("KNeighborsClassifier", "metric_params", {"V": []}, "it holds arguments for code"),
    ("RandomForestClassifier", "n_estimators", 2_001, "at most 2000"),
    ("RandomForestClassifier", "n_estimators", True, "must be a whole number at least 1"),
    ("MLPClassifier", "hidden_layer_sizes", [10, 5_000], "at most 2000"),
    ("MLPClassifier", "hidden_layer_sizes", [10] * 11, "at most 10 entries"),
    ("MLPClassifier", "hidden_layer_sizes", {"a": 1}, "must be a list or a whole number"),
    ("GaussianNB", "priors", [0.1] * 10_001, "at most 10000 entries"),
    ("GaussianNB", "priors", [0.1, math.nan], "must be a list or null"),
    ("AdaBoostClassifier", "estimator", "SVC", "a request cannot send a learner inside a learner"),
    ("DummyClassifier", "constant", 1, "classes are codes"),
    ("GradientBoostingClassifier", "init", "zeros", "must be 'zero' or null"),
    ("HistGradientBoostingClassifier", "scoring", "accuracy", "its own loss"),
    ("HistGradientBoostingClassifier", "monotonic_cst", {"a": 1}, "must be a list or null"),
    ("GaussianProcessRegressor", "kernel", "RBF()", "must be null"),
    ("RidgeCV", "cv", 51, "at most 50"),
    ("RidgeCV", "cv", [[0, 1]], "cannot be a list"),
    ("LassoCV", "alphas", 5_000, "at most 1000"),
]


@pytest.mark.parametrize(("name", "parameter", "value", "words"), CASES)
def test_invalid_parameters_are_refused_with_their_place(
    name: str, parameter: str, value: Any, words: str
) -> None:
    spec = read_learner_spec({"name": name, "params": {parameter: value}})
    task = min(get_learner_tasks(name))
    with pytest.raises(InvalidParameter) as refusal:
        build(spec, task, loc=("learners", "m"))
    assert words in refusal.value.message
    assert refusal.value.loc == ("learners", "m", "params", parameter)


STEP_CASES: list[tuple[str, str, Any, str]] = [
    ("PolynomialFeatures", "degree", 11, "at most 10"),
    ("OneHotEncoder", "sparse_output", 1, "columns are dense"),
    ("OneHotEncoder", "dtype", "object", "64-bit"),
    ("MinMaxScaler", "feature_range", "all", "must be a list"),
    ("SelectKBest", "score_func", "mutual_info_regression", "must be one of chi2, f_classif"),
    ("SelectKBest", "score_func", ["chi2"], "must be one of chi2, f_classif"),
    ("SelectKBest", "k", -1, "must be 'all' or a whole number at least 0"),
    ("SelectKBest", "j", 1, "has no parameter 'j'"),
    ("SimpleImputer", "fill_value", [1], "must be null or true or false or a number"),
    ("FastICA", "fun_args", {"alpha": 1}, "arguments for code"),
    ("standardise", "center", True, "has no parameter 'center' (did you mean 'centre'?); it has"),
]


@pytest.mark.parametrize(("name", "parameter", "value", "words"), STEP_CASES)
def test_invalid_parameters_of_steps_are_refused_with_their_place(
    name: str, parameter: str, value: Any, words: str
) -> None:
    step = {"name": name, "params": {parameter: value}}
    with pytest.raises(InvalidParameter) as refusal:
        built({"name": "GaussianNB", "prepare": ["pca", step]})
    assert words in refusal.value.message
    assert refusal.value.loc == ("prepare", 1, "params", parameter)


@pytest.mark.parametrize(
    ("name", "parameter", "value", "taken"),
    [
        ("MinMaxScaler", "feature_range", [-1, 1], (-1, 1)),
        ("SimpleImputer", "fill_value", 3.5, 3.5),
        ("SimpleImputer", "fill_value", True, True),
        ("SimpleImputer", "missing_values", "?", "?"),
        ("PolynomialFeatures", "degree", [1, 3], [1, 3]),
        ("SelectKBest", "score_func", "chi2", "chi2"),
        ("FastICA", "whiten", False, False),
    ],
)
def test_exact_values_are_taken_in_the_class_own_types(
    name: str, parameter: str, value: Any, taken: Any
) -> None:
    step = build_step(
        read_step_spec({"name": name, "params": {parameter: value}}), "classification"
    )
    assert getattr(step, "params") == {parameter: taken}  # noqa: B009 - no part of the protocol


@pytest.mark.parametrize("name", [*CLASSIFIERS, *REGRESSORS])
def test_exact_the_defaults_of_a_class_can_be_pasted_into_a_request(name: str) -> None:
    params = load_class(name)().get_params()
    learner = built({"name": name, "params": params}, min(get_learner_tasks(name)))
    # Where none is said a random state is drawn, so the one that is said is kept.
    random_state = (
        {} if params.get("random_state") is None else {"random_state": params["random_state"]}
    )
    assert getattr(learner, "params") == random_state  # noqa: B009 - no part of the protocol
