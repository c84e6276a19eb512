"""What the service says of its learners and steps."""

from __future__ import annotations

import json

import pytest

from tests.thetahat.pipelines.tables import built
from thetahat.pipelines import describe_learners, describe_steps
from thetahat.pipelines.allowed_classes import CLASSIFIERS, REGRESSORS, TRANSFORMERS, VECTORISERS
from thetahat.pipelines.schema_text import describe_schema
from thetahat.pipelines.steps import STEPS
from thetahat.values.json_schema import JsonSchema


def test_exact_every_learner_and_step_is_described_once_in_json() -> None:
    learners, steps = describe_learners(), describe_steps()
    json.dumps([learners, steps], allow_nan=False)
    names = [entry["name"] for entry in learners if entry["origin"] == "scikit-learn"]
    assert names == sorted({*CLASSIFIERS, *REGRESSORS})
    assert [entry["name"] for entry in steps] == [*STEPS, *sorted({*TRANSFORMERS, *VECTORISERS})]
    for entry in [*learners, *steps]:
        assert set(entry["tasks"]) <= {"classification", "regression"}
        assert entry["title"]
        assert entry["parameters"]["type"] == "object"


def test_exact_steps_act_on_the_columns_of_their_kind() -> None:
    default_columns = {entry["name"]: entry["acts_on"] for entry in describe_steps()}
    assert default_columns["one_hot"] == default_columns["OneHotEncoder"] == "string"
    assert default_columns["pca"] == default_columns["PCA"] == "numeric"
    assert default_columns["TfidfVectorizer"] == "text"


def test_exact_the_schema_of_some_parameters() -> None:
    schemas = {e["name"]: e["parameters"]["properties"] for e in describe_learners()}
    assert schemas["LogisticRegression"]["C"] == {
        "type": "number",
        "exclusiveMinimum": 0,
        "default": 1.0,
    }
    assert schemas["SVC"]["kernel"] == {
        "enum": ["linear", "poly", "rbf", "sigmoid"],
        "default": "rbf",
    }
    assert schemas["RandomForestClassifier"]["n_estimators"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 2000,
        "default": 100,
    }
    assert schemas["SGDClassifier"]["l1_ratio"]["anyOf"][0]["maximum"] == 1
    assert schemas["MLPClassifier"]["hidden_layer_sizes"]["default"] == [100]
    assert schemas["GaussianProcessRegressor"]["kernel"] == {"type": "null", "default": None}
    assert "n_jobs" not in schemas["LogisticRegression"]
    assert "constant" not in schemas["DummyClassifier"]
    steps = {e["name"]: e["parameters"]["properties"] for e in describe_steps()}
    assert steps["SelectKBest"]["score_func"]["enum"][:2] == ["chi2", "f_classif"]
    assert "default" not in steps["SimpleImputer"]["missing_values"]


def test_exact_every_described_default_is_taken() -> None:
    for entry in describe_learners():
        if entry["origin"] != "scikit-learn":
            continue
        defaults = {
            name: schema["default"]
            for name, schema in entry["parameters"]["properties"].items()
            if "default" in schema
        }
        built({"name": entry["name"], "params": defaults}, entry["tasks"][0])


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "number", "minimum": 0, "maximum": 1}, "a number at least 0 and at most 1"),
        ({"type": "integer", "exclusiveMinimum": 0}, "a whole number above 0"),
        ({"type": "number", "exclusiveMaximum": 1}, "a number below 1"),
        ({"anyOf": [{"type": "null"}, {"enum": ["a"]}]}, "null or 'a'"),
        ({"enum": ["a", "b"]}, "one of 'a', 'b'"),
        ({"const": 3}, "3"),
        ({}, "a plain value"),
    ],
)
def test_exact_schemas_in_words(schema: JsonSchema, words: str) -> None:
    assert describe_schema(schema) == words
