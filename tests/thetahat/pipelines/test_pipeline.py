"""Steps and learner together: what is learnt where, and which columns go where."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.thetahat.pipelines.tables import (
    MIXED,
    built,
    codes,
    fit_predict,
    fitted,
    numbers,
    strings,
    values,
)
from thetahat.errors import InsufficientData, InvalidParameter, LearnerFailed
from thetahat.pipelines import FittedPipeline, Pipeline, build_step, read_step_spec
from thetahat.pipelines.estimator_learner import FittedEstimator
from thetahat.tables.features import Features

TRAIN, TEST = np.arange(0, 45), np.arange(45, 60)

CHAINS: list[list[Any]] = [
    ["standardise"],
    ["StandardScaler", {"name": "pca", "params": {"n_components": 2}}],
    ["QuantileTransformer", "PCA"],
    [{"name": "impute", "params": {"strategy": "median"}}, "MinMaxScaler"],
    [{"name": "SelectKBest", "params": {"k": 1}}],
    [{"name": "KBinsDiscretizer", "columns": ["a"]}, "PowerTransformer"],
]


@pytest.mark.parametrize("steps", CHAINS)
def test_property_nothing_is_learnt_from_the_test_part(steps: list[Any]) -> None:
    features = numbers()
    y = codes(features)
    wire = {"name": "LogisticRegression", "prepare": steps}
    plain = fit_predict(built(wire), features, y, TRAIN, TEST)
    # One test row far away, another with the other class: the rest of the test part cannot tell.
    columns = tuple(column.copy() for column in features.columns)
    for column in columns:
        column[59] = 1e9
    changed = y.copy()
    changed[58] = 1 - changed[58]
    spoilt = fit_predict(
        built(wire), features.with_columns(features.names, columns), changed, TRAIN, TEST
    )
    assert plain.probabilities is not None
    assert spoilt.probabilities is not None
    np.testing.assert_array_equal(spoilt.probabilities[:-1], plain.probabilities[:-1])
    assert (spoilt.probabilities[-1] != plain.probabilities[-1]).any()


def test_property_the_training_part_alone_decides() -> None:
    features = numbers()
    y = codes(features)
    wire = {"name": "LogisticRegression", "prepare": ["standardise"]}
    moved = np.append(features.columns[0][:-1], 50.0)
    other = features.with_columns(features.names, (moved, *features.columns[1:]))
    # the moved row belongs to this training part: the predictions of the others change
    plain, changed = (
        fit_predict(built(wire), table, y, TEST, TRAIN).probabilities for table in (features, other)
    )
    assert plain is not None
    assert changed is not None
    assert (plain != changed).any()


def test_limit_a_step_without_columns_of_its_kind_does_nothing() -> None:
    features = numbers()
    y = codes(features)
    plain = fit_predict(built("GaussianNB"), features, y, TRAIN, TEST)
    same = fit_predict(
        built({"name": "GaussianNB", "prepare": ["one_hot"]}), features, y, TRAIN, TEST
    )
    np.testing.assert_array_equal(plain.probabilities, same.probabilities)


def test_degenerate_a_category_of_the_test_part_only_is_ignored() -> None:
    features = Features(("kind",), (strings("x", "y", "x", "y", "z"),))
    y = np.array([0, 1, 0, 1, 0])
    wire = {"name": "BernoulliNB", "prepare": ["one_hot"]}
    predictions = fit_predict(built(wire), features, y, np.arange(4), np.arange(5))
    # Laplace: P(kind=x | 0) = 3/4 = P(no y | 0); x: 9/16 against 1/16; z: 3/16 against 3/16
    assert predictions.probabilities is not None
    np.testing.assert_allclose(predictions.probabilities[[0, 4]], [[0.9, 0.1], [0.5, 0.5]])


def test_invalid_missing_values_are_refused_in_words_and_fine_when_imputed() -> None:
    features = numbers()
    y = codes(features)
    column = features.columns[1].copy()
    column[[3, 50]] = np.nan
    holed = features.with_columns(
        features.names, (features.columns[0], column, features.columns[2])
    )
    for prepare in ([], ["standardise"], ["StandardScaler"], ["pca"], ["PCA"]):
        wire = {"name": "LogisticRegression", "prepare": prepare}
        with pytest.raises(InvalidParameter, match="Column 'b' has no value in row 3") as refusal:
            fit_predict(built(wire), holed, y, TRAIN, TEST)
        assert refusal.value.loc[:3] == ("columns", "features", "b")
    # row 50 is in the test part only
    column[3] = 1.0
    with pytest.raises(InvalidParameter, match="Column 'b' has no value in row 50"):
        fit_predict(built("LogisticRegression"), holed, y, TRAIN, TEST)
    for name, prepare in [
        ("LogisticRegression", ["impute"]),
        ("LogisticRegression", ["KNNImputer"]),
        ("HistGradientBoostingClassifier", []),
        ("RandomForestClassifier", ["standardise"]),
    ]:
        predictions = fit_predict(built({"name": name, "prepare": prepare}), holed, y, TRAIN, TEST)
        assert predictions.probabilities is not None
        assert np.isfinite(predictions.probabilities).all()


def test_invalid_strings_that_reach_the_learner_are_refused_in_words() -> None:
    with pytest.raises(InvalidParameter, match="Column 'kind' is not numeric"):
        fitted(["standardise"], MIXED, np.array([0, 1, 0, 1]))
    with pytest.raises(InvalidParameter, match="Column 'kind' is not numeric"):
        fitted([{"name": "StandardScaler", "columns": ["kind"]}], MIXED, np.array([0, 1, 0, 1]))


def test_invalid_a_column_that_does_not_reach_the_step() -> None:
    steps = ["one_hot", {"name": "pca", "columns": ["a", "kind"]}]
    with pytest.raises(
        InvalidParameter, match=r"'pca' names the column 'kind', but its input columns are a, b"
    ) as refusal:
        fitted(steps, MIXED, np.array([0, 1, 0, 1]))
    assert refusal.value.loc == ("prepare", 1, "columns")


def test_invalid_no_column_left() -> None:
    features = Features(("a",), (np.random.default_rng(1).normal(size=60),))
    with pytest.raises(InsufficientData, match="leave no column for the learner"):
        fitted([{"name": "SelectFwe", "params": {"alpha": 1e-300}}], features, codes(numbers()))


def test_invalid_steps_that_would_make_too_many_columns() -> None:
    features = Features(tuple(f"c{i}" for i in range(200)), tuple(np.eye(200)[:, :60].copy()))
    features = Features(features.names, tuple(np.random.default_rng(2).random((200, 60))))
    y = codes(numbers())
    with pytest.raises(InvalidParameter, match=r"would produce 1373701 columns\. At most 20000"):
        fitted([{"name": "PolynomialFeatures", "params": {"degree": 3}}], features, y)
    many = Features(("kind",), (np.array([f"k{i}" for i in range(20_001)], dtype=object),))
    with pytest.raises(InvalidParameter, match=r"would produce 20001 columns\. At most 20000"):
        fitted(["OneHotEncoder"], many, np.arange(20_001) % 2)


def test_invalid_a_transformer_that_raises() -> None:
    with pytest.raises(LearnerFailed, match="PCA: n_components=7 must be between"):
        fitted([{"name": "PCA", "params": {"n_components": 7}}], numbers(), codes(numbers()))


def test_exact_cautions_of_steps_and_learner_are_reported_once() -> None:
    features = numbers()
    pipeline = built(
        {
            "name": "MLPClassifier",
            "params": {"max_iter": 2},
            "prepare": ["QuantileTransformer", "QuantileTransformer", "one_hot"],
        }
    )
    model = pipeline.fit(
        features, codes(features), weights=None, rng=np.random.default_rng(0), n_classes=2
    )
    assert isinstance(model, FittedPipeline)
    assert [caution.code for caution in model.cautions] == ["learner_warning", "not_converged"]
    assert "Maximum iterations (2) reached" in model.cautions[1].message


def test_exact_a_pipeline_reports_the_properties_of_its_learner() -> None:
    for name, weights, probabilities, scores in [
        ("LogisticRegression", True, True, True),
        ("KNeighborsClassifier", False, True, False),
        ("LinearSVC", True, False, True),
    ]:
        pipeline = built({"name": name, "prepare": ["standardise"]})
        assert isinstance(pipeline, Pipeline)
        assert pipeline.info.name == name
        assert pipeline.tasks == {"classification"}
        assert pipeline.takes_weights is weights
        assert pipeline.gives_probabilities is probabilities
        assert pipeline.gives_scores is scores
    pipeline = built({"name": "Ridge", "prepare": ["standardise"]}, "regression")
    assert isinstance(pipeline, Pipeline)
    assert not pipeline.gives_probabilities
    assert not pipeline.gives_scores


def test_property_the_same_stream_gives_the_same_numbers() -> None:
    features = numbers()
    y = values(features)
    wire = {
        "name": "RandomForestRegressor",
        "params": {"n_estimators": 5},
        "prepare": [{"name": "RBFSampler", "params": {"n_components": 6}}],
    }
    first, again, other = (
        fit_predict(built(wire, "regression"), features, y, TRAIN, TEST, seed=s, n_classes=0)
        for s in (4, 4, 5)
    )
    np.testing.assert_array_equal(first.output, again.output)
    assert (first.output != other.output).any()


def test_exact_a_learner_without_steps_is_the_learner_itself() -> None:
    model = built("GaussianNB").fit(
        numbers(), codes(numbers()), weights=None, rng=np.random.default_rng(0), n_classes=2
    )
    assert isinstance(model, FittedEstimator)


def test_exact_own_learners_can_follow_steps() -> None:
    steps = ["standardise", "one_hot"]
    y = np.array([3.0, 1.0, 4.0, 1.5])
    pipeline = built({"name": "ridge", "params": {"penalty": 2.0}, "prepare": steps}, "regression")
    model = pipeline.fit(MIXED, y, weights=None, rng=np.random.default_rng(0), n_classes=0)
    assert isinstance(model, FittedPipeline)
    features = MIXED
    for step in model.steps:
        features = step.transform(features)
    table = features.matrix()
    # Normal equations of the centred problem, as they are written in any textbook.
    Z = table - table.mean(axis=0)
    beta = np.linalg.solve(Z.T @ Z + 2.0 * np.eye(Z.shape[1]), Z.T @ (y - y.mean()))
    np.testing.assert_allclose(model.predict(MIXED).output, y.mean() + Z @ beta, rtol=1e-12)


def test_exact_a_reviewed_step_says_what_it_is() -> None:
    info = build_step(read_step_spec("OneHotEncoder"), "classification").info
    assert (info.name, info.title) == ("OneHotEncoder", "One hot encoder")
    with pytest.raises(InvalidParameter, match="step 'PCA' names the column 'z'"):
        fitted([{"name": "PCA", "columns": ["z"]}], numbers(), codes(numbers()))
