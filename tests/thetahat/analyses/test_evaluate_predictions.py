"""``thetahat.evaluate_predictions``: losses and metrics of predictions, without the service."""

from __future__ import annotations

import doctest
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest

import thetahat
from thetahat.analyses.predictions import entry_points
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.values.types import Target
from thetahat_service.kinds.base import Finished, Job
from thetahat_service.kinds.registry import JOB_KINDS

RNG = np.random.default_rng(3)
N = 60
SCHOOL = [f"school {i % 6}" for i in range(N)]
LABELS = ["no", "yes"]
TRUE_CLASSES = [LABELS[i] for i in RNG.integers(0, 2, N)]
PROBABILITIES = {name: RNG.random(N).round(3).tolist() for name in ("new", "old")}
CLASSES = {
    name: [LABELS[int(p > 0.5)] for p in probabilities]
    for name, probabilities in PROBABILITIES.items()
}
TRUE_VALUES = RNG.normal(size=N).round(4).tolist()
VALUES = {name: (np.array(TRUE_VALUES) + RNG.normal(size=N)).tolist() for name in ("new", "old")}


def by_service(**body: object) -> dict[str, Any]:
    kind = JOB_KINDS["predictions"]
    request = kind.request.model_validate({"kind": "predictions", "seed": 5, **body})
    kind.check(request, {})
    finished = kind.start(Job(uuid5(NAMESPACE_URL, "job"), "predictions", request, 5))
    assert isinstance(finished, Finished)
    result: dict[str, Any] = thetahat.to_json(finished.result)
    return result


def without(values: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in names}


@pytest.mark.parametrize(
    "case",
    [
        {"y": TRUE_CLASSES, "predictions": CLASSES, "loss": "zero_one", "blocks": "source"},
        {
            "y": TRUE_CLASSES,
            "predictions": CLASSES,
            "scores": PROBABILITIES,
            "loss": "brier",
            "metrics": ["roc_auc", "f1"],
            "blocks": "source",
        },
        {"y": TRUE_CLASSES, "scores": PROBABILITIES, "loss": "log", "blocks": None},
        {"y": TRUE_VALUES, "predictions": VALUES, "loss": "squared", "metrics": ["r2"]},
        {
            "y": TRUE_VALUES,
            "predictions": VALUES,
            "loss": "squared",
            "blocks": "random",
            "instance": [i // 2 for i in range(N)],
            "repeat": [i % 2 for i in range(N)],
            "block": [i // 2 % 5 for i in range(N)],
            "level": 0.9,
        },
    ],
    ids=["classes", "probabilities", "scores alone", "values", "repeats"],
)
def test_exact_the_numbers_are_those_of_the_service(case: dict[str, Any]) -> None:
    case = {"block": SCHOOL, **case}
    ours = thetahat.evaluate_predictions(case["y"], **without(case, "y"), seed=5)
    theirs = by_service(**{name: value for name, value in case.items() if value is not None})

    assert ours.to_dict() == without(theirs, "kind", "provenance")


def test_exact_the_mean_loss_is_the_share_of_wrong_classes() -> None:
    result = thetahat.evaluate_predictions(TRUE_CLASSES, CLASSES, blocks="holdout")

    for name, classes in CLASSES.items():
        wrong = [a != b for a, b in zip(classes, TRUE_CLASSES, strict=True)]
        assert result.models[name].mean.pooled == pytest.approx(np.mean(wrong))


def test_by_hand_several_predictions_of_an_instance_split_the_squared_loss() -> None:
    result = thetahat.evaluate_predictions(
        [0.0, 0.0, 1.5, 1.5],
        {"a": [1.0, 3.0, 1.5, 2.5]},
        instance=[0, 0, 1, 1],
        repeat=[0, 1, 0, 1],
        block=[0, 0, 1, 1],
        blocks="random",
    )
    parts = (result.bias_variance or {})["a"]

    variance = (2.0 + 0.5) / 2  # of two predictions each, with the divisor 2 - 1
    assert parts.variance == pytest.approx(variance)
    assert parts.bias_squared == pytest.approx(((1 + 9) / 2 + (0 + 1) / 2) / 2 - variance)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_exact_frames_and_series_are_taken_as_lists_are(make: Any) -> None:
    frame = make({"truth": TRUE_VALUES, "school": SCHOOL})
    from_frame = thetahat.evaluate_predictions(
        frame["truth"], make(VALUES), block=frame["school"], blocks="source"
    )
    from_lists = thetahat.evaluate_predictions(
        TRUE_VALUES, VALUES, block=SCHOOL, blocks="source", loss="squared"
    )

    assert from_frame.to_dict() == from_lists.to_dict()


def test_exact_the_loss_follows_from_texts_booleans_and_fractions() -> None:
    def mean_of(truth: Any, predicted: Any) -> float:
        result = thetahat.evaluate_predictions(truth, {"a": predicted}, blocks="holdout")
        return result.models["a"].mean.macro

    assert mean_of(["x", "y", "y", "x"], ["x", "y", "x", "x"]) == 0.25
    assert mean_of([True, False, True, False], [True, True, True, False]) == 0.25
    assert mean_of([1, 2, 3, 4], [1.5, 2.0, 3.0, 4.0]) == 0.0625
    assert mean_of(np.array(["x", "y"]), np.array(["x", "x"])) == 0.5


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"y_true": [1, 2, 3], "predictions": {"a": [1, 2, 2]}}, "Name the loss"),
        ({"y_true": [], "predictions": {"a": []}}, "y_true is empty"),
        ({"y_true": ["x", "y"]}, "Give the predictions of each model"),
        ({"y_true": ["x", "y"], "predictions": {"a": ["x"]}}, "has 1 predictions"),
        ({"y_true": ["x", None], "predictions": {"a": ["x", "x"]}}, "label in row 1 is None"),
        ({"y_true": [0.5, None], "predictions": {"a": [0.5, 1]}, "loss": "squared"}, "no value"),
        (
            {"y_true": [0.5, 1], "predictions": {"a": ["x", "y"]}, "loss": "squared"},
            "The a column is not numeric",
        ),
        (
            {"y_true": ["x", "y"], "scores": {"a": [0.1, float("nan")]}, "loss": "brier"},
            "'a' must be finite numbers",
        ),
        ({"y_true": ["x", "y"], "scores": {"a": ["p", "q"]}, "loss": "brier"}, "must be numbers"),
        ({"y_true": ["x", "y"], "predictions": 3}, "predictions must be columns by name"),
        ({"y_true": ["x", "y"], "predictions": {"a": ["x", "y"]}, "blocks": None}, "need block"),
        ({"y_true": ["x", "y"], "predictions": {"a": ["x", "y"]}, "levle": 0.9}, "'level'"),
    ],
)
def test_invalid_arguments_are_named(arguments: dict[str, Any], match: str) -> None:
    with pytest.raises(EvaluationError, match=match):
        thetahat.evaluate_predictions(**{"blocks": "holdout", **arguments})


def test_invalid_a_row_that_is_no_class_is_located() -> None:
    with pytest.raises(InvalidParameter) as raised:
        thetahat.evaluate_predictions(["x", "y"], {"a": ["x", 1.5]}, blocks="holdout")

    assert raised.value.loc == ("predictions", "a", 1)
    with pytest.raises(InvalidParameter) as raised:
        thetahat.evaluate_predictions([0.5, 1.5], {"a": [0.5, np.nan]}, blocks="holdout")

    assert raised.value.loc == ("predictions", "a", 1)


def test_exact_examples_in_the_docstrings() -> None:
    failed, tried = doctest.testmod(entry_points)

    assert (failed, tried) == (0, 3)


@pytest.mark.parametrize("kind", [int, float, bool])
def test_exact_zeros_and_ones_are_classes_without_a_loss(kind: Any) -> None:
    y: Any = np.array([0, 1, 1, 0, 1] * 4).astype(kind)
    predicted: Any = {"a": np.array([0, 1, 0, 0, 1] * 4).astype(kind)}

    found = thetahat.evaluate_predictions(y, predicted, blocks="holdout")

    named = thetahat.evaluate_predictions(y, predicted, blocks="holdout", loss="zero_one")
    assert found.to_dict() == named.to_dict()
    assert found.models["a"].recommended[Target.THESE_MODELS].method == "wilson"


@pytest.mark.parametrize("as_frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Unnamed: 0", "has no name of its own"),
        ("item", "has a name of labels"),
        ("user_id", "has a name of labels"),
        ("y_true", "has the name of true values"),
        ("sex", "has a name of groups"),
        ("latency_ms", "has a name of something else than predictions"),
        ("diagnosis", "has the name of y_true"),
    ],
)
@pytest.mark.parametrize("field", ["predictions", "scores"])
def test_a_column_of_a_frame_that_is_no_model_is_refused(
    as_frame: Any, name: str, reason: str, field: str
) -> None:
    values = [0, 1, 1, 0, 1, 0, 1, 1]
    frame = as_frame({name: values, "new": values[::-1], "old": values})
    truth = as_frame({"diagnosis": values})["diagnosis"]
    given: Any = {field: frame}

    with pytest.raises(InvalidParameter) as refused:
        thetahat.evaluate_predictions(truth, loss="zero_one", blocks="holdout", **given)

    start = f"It is not clear whether column {name!r} of the data frame is a model: it {reason}"
    assert str(refused.value).startswith(start)
    assert f"columns of {field} alone, as frame[['new', 'old']]" in str(refused.value)
    assert refused.value.loc == (field, name)


@pytest.mark.parametrize("name", ["new", "predicted", "gpt-4", "majority", "column of classes"])
def test_columns_of_a_frame_with_other_names_are_models(name: str) -> None:
    values = [0, 1, 1, 0, 1, 0, 1, 1]

    result = thetahat.evaluate_predictions(
        values, pd.DataFrame({name: values[::-1]}), loss="zero_one", blocks="holdout"
    )

    assert list(result.models) == [name]
