"""The same numbers as scikit-learn's own pipelines on the same splits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    MinMaxScaler,
    OneHotEncoder,
    PolynomialFeatures,
    QuantileTransformer,
    StandardScaler,
)
from sklearn.svm import SVC

from tests.thetahat.pipelines.tables import built, codes, fit_predict, numbers, strings, values
from thetahat.tables.features import Features

FOLDS = KFold(5)

CLASSIFICATION: list[tuple[Any, Any, float]] = [
    # the same arithmetic on both sides: equal to the last bit
    (
        {"name": "LogisticRegression", "params": {"C": 0.5}, "prepare": ["StandardScaler"]},
        make_pipeline(StandardScaler(), LogisticRegression(C=0.5)),
        0.0,
    ),
    (
        {"name": "KNeighborsClassifier", "prepare": ["MinMaxScaler", "PolynomialFeatures"]},
        make_pipeline(MinMaxScaler(), PolynomialFeatures(), KNeighborsClassifier()),
        0.0,
    ),
    (
        {
            "name": "RandomForestClassifier",
            "params": {"n_estimators": 7, "random_state": 3},
            "prepare": [{"name": "PCA", "params": {"n_components": 2}}],
        },
        make_pipeline(PCA(2), RandomForestClassifier(7, random_state=3)),
        0.0,
    ),
    (
        {
            "name": "LinearDiscriminantAnalysis",
            "prepare": [{"name": "KBinsDiscretizer", "params": {"n_bins": 3}}],
        },
        make_pipeline(
            KBinsDiscretizer(3, encode="onehot-dense"),
            LinearDiscriminantAnalysis(),
        ),
        0.0,
    ),
    # our own steps: the same formulas in another order of summation
    (
        {"name": "LogisticRegression", "prepare": ["standardise"]},
        make_pipeline(StandardScaler(), LogisticRegression()),
        1e-9,
    ),
    (
        {
            "name": "LinearDiscriminantAnalysis",
            "prepare": ["standardise", {"name": "pca", "params": {"n_components": 2}}],
        },
        make_pipeline(StandardScaler(), PCA(2), LinearDiscriminantAnalysis()),
        1e-9,
    ),
]


@pytest.mark.filterwarnings("ignore:.*quantile_method.*:FutureWarning")
@pytest.mark.parametrize(("wire", "pipeline", "tolerance"), CLASSIFICATION)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_against_sklearn_classifiers_in_pipelines(
    wire: Any, pipeline: Any, tolerance: float, n_classes: int
) -> None:
    features = numbers(80)
    y = codes(features, n_classes)
    X = features.matrix()
    theirs = cross_val_predict(pipeline, X, y, cv=FOLDS, method="predict_proba")
    labels = cross_val_predict(pipeline, X, y, cv=FOLDS)
    for train, test in FOLDS.split(X):
        ours = fit_predict(built(wire), features, y, train, test, n_classes=n_classes)
        assert ours.probabilities is not None
        np.testing.assert_allclose(ours.probabilities, theirs[test], rtol=tolerance, atol=tolerance)
        np.testing.assert_array_equal(ours.output, labels[test])


REGRESSION: list[tuple[Any, Any]] = [
    (
        {"name": "Ridge", "params": {"alpha": 2.0}, "prepare": ["StandardScaler"]},
        make_pipeline(StandardScaler(), Ridge(2.0)),
    ),
    (
        {
            "name": "Ridge",
            "prepare": [
                {"name": "QuantileTransformer", "params": {"n_quantiles": 20, "random_state": 1}},
                {"name": "SelectKBest", "params": {"k": 2}},
            ],
        },
        make_pipeline(
            QuantileTransformer(n_quantiles=20, random_state=1),
            SelectKBest(f_regression, k=2),
            Ridge(),
        ),
    ),
]


@pytest.mark.parametrize(("wire", "pipeline"), REGRESSION)
def test_against_sklearn_regressors_in_pipelines(wire: Any, pipeline: Any) -> None:
    features = numbers(80)
    y = values(features)
    theirs = cross_val_predict(pipeline, features.matrix(), y, cv=FOLDS)
    for train, test in FOLDS.split(y):
        ours = fit_predict(built(wire, "regression"), features, y, train, test, n_classes=0)
        # The blocks of memory differ, and with them the order of BLAS's sums.
        np.testing.assert_allclose(ours.output, theirs[test], rtol=1e-12)


def test_against_sklearn_column_transformer_with_strings_and_missing_values() -> None:
    rng = np.random.default_rng(8)
    table = numbers(80)
    colour = rng.choice(np.array(["red", "green", "blue"], dtype=object), size=80)
    colour[79] = "mauve"  # only in the last fold's test part
    a = table.columns[0].copy()
    a[rng.choice(80, 9, replace=False)] = np.nan
    features = Features(("a", "colour", "b"), (a, colour, table.columns[1]))
    y = codes(table)
    wire = {
        "name": "SVC",
        "params": {"C": 2.0},
        "prepare": [
            {"name": "impute", "params": {"strategy": "median"}},
            "standardise",
            "one_hot",
        ],
    }
    pipeline = make_pipeline(
        ColumnTransformer(
            [
                ("n", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), [0, 2]),
                ("s", OneHotEncoder(handle_unknown="ignore"), [1]),
            ]
        ),
        SVC(C=2.0),
    )
    X = np.column_stack([a.astype(object), colour, table.columns[1].astype(object)])
    theirs = cross_val_predict(pipeline, X, y, cv=FOLDS, method="decision_function")
    for train, test in FOLDS.split(y):
        ours = fit_predict(built(wire), features, y, train, test)
        assert ours.scores is not None
        # libsvm stops at a tolerance of 1e-3; last-bit differences of the inputs stay far below.
        np.testing.assert_allclose(ours.scores, theirs[test], rtol=1e-6, atol=1e-6)


def test_against_sklearn_encoders_of_string_columns() -> None:
    colour = strings("red", "green", None, "red", "blue", "green")
    y = np.array([0, 1, 0, 1, 0, 1])
    features = Features(("colour",), (colour,))
    train, test = np.arange(6), np.arange(3)
    wire = {"name": "GaussianNB", "prepare": ["OneHotEncoder"]}
    ours = fit_predict(built(wire), features, y, train, test)
    X = np.array([[value] for value in colour], dtype=object)
    encoded = OneHotEncoder().fit_transform(X).toarray()
    from sklearn.naive_bayes import GaussianNB

    theirs = GaussianNB().fit(encoded, y).predict_proba(encoded[:3])
    np.testing.assert_array_equal(ours.probabilities, theirs)
