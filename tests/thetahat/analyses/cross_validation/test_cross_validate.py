"""Cross-validation from Python: the numbers of the service, without it."""

from __future__ import annotations

import doctest
from typing import Any

import numpy as np
import pytest

import thetahat
from tests.service.kinds.run_requests import run_kind
from thetahat.analyses.cross_validation import entry_points
from thetahat.errors import EvaluationError, InvalidParameter, UnsupportedCombination
from thetahat.learners.ridge import Ridge
from thetahat.schemes.k_fold import KFold

RNG = np.random.default_rng(11)
X = RNG.normal(size=(36, 3))
VALUES = X @ np.array([1.0, -0.5, 0.0]) + RNG.normal(size=36)
CLASSES = np.where(VALUES > 0, "yes", "no")
SOURCE = np.repeat(["a", "b", "c", "d"], 9)
SEED = 7

RIDGES = {f"ridge{p:g}": {"name": "ridge", "params": {"penalty": p}} for p in (0.1, 1.0, 10.0)}


def compare_with_service(fields: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Assert that both give the same result, and return it."""
    service = run_kind({"kind": "cross_validation", "data": data, **fields}, seed=SEED).result
    options = {key: value for key, value in fields.items() if key != "learners"}
    roles = {key: value for key, value in data.items() if key not in {"X", "y"}}
    ours = thetahat.cross_validate(
        np.array(data["X"]), data["y"], fields["learners"], **roles, **options, seed=SEED
    )
    written: dict[str, Any] = thetahat.to_json(ours)
    for key in ("kind", "methods"):
        service.pop(key)
    assert written == service
    return written


def test_exact_numbers_are_those_of_the_service_for_values() -> None:
    data = {"X": X.tolist(), "y": VALUES.tolist(), "source": SOURCE.tolist()}
    result = compare_with_service(
        {
            "task": "regression",
            "learners": {**RIDGES, "mean": "mean"},
            "scheme": "leave_one_source_out",
            "metrics": ["r2"],
            "margin": 0.1,
        },
        data,
    )
    assert result["learners"]["ridge1"]["path"] == "fast"
    assert result["models"]["mean"]["metrics"]["r2"]["estimate"]


def test_exact_numbers_are_those_of_the_service_for_classes_and_extra_fits() -> None:
    data = {"X": X.tolist(), "y": CLASSES.tolist()}
    result = compare_with_service(
        {
            "task": "classification",
            "learners": {"near": "nearest_neighbours", "majority": "majority"},
            "scheme": "k_fold",
            "metrics": ["balanced_accuracy"],
            "variances": ["nadeau_bengio", "out_of_bag"],
            "include": "all",
        },
        data,
    )
    assert result["models"]["near"]["estimates"]["out_of_bag"]["variance"] > 0


def test_exact_a_learner_that_fails_is_named_and_the_others_are_evaluated() -> None:
    data = {"X": X.tolist(), "y": CLASSES.tolist()}  # counts must not be negative
    result = compare_with_service(
        {
            "task": "classification",
            "learners": {"counts": "multinomial_naive_bayes", "majority": "majority"},
            "scheme": "k_fold",
        },
        data,
    )
    assert result["failures"]["counts"]["loc"] == ["learners", "counts"]
    assert list(result["models"]) == ["majority"]


def test_exact_names_and_objects_give_the_same() -> None:
    by_object = thetahat.cross_validate(
        dict(zip("abc", X.T, strict=True)),
        VALUES,
        {"line": Ridge(penalty=2.0)},
        task="regression",
        scheme=KFold(n_folds=4),
        seed=3,
    )
    spec = {"name": "ridge", "params": {"penalty": 2.0}}
    by_name = thetahat.cross_validate(
        X, VALUES, {"line": spec}, task="regression", scheme=KFold(n_folds=4), seed=3
    )
    assert thetahat.to_json(by_object) == thetahat.to_json(by_name)
    assert isinstance(by_object, thetahat.CrossValidationEvaluation)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"learners": {}}, InvalidParameter, "at least one learner"),
        ({"learners": {"a": "ridgee"}}, InvalidParameter, "ridge"),
        ({"learners": {"a": "majority"}}, UnsupportedCombination, "not for regression"),
        ({"scheme": "leave_one_source_out"}, EvaluationError, "source"),
        ({"metrics": ["roc_auc"]}, UnsupportedCombination, "is for classification"),
        ({"loss": "zero_one"}, UnsupportedCombination, "is for classification"),
        (
            {"variances": ["out_of_bag"], "source": SOURCE},
            UnsupportedCombination,
            "draws instances one by one",
        ),
    ],
)
def test_invalid_arguments_are_refused(
    arguments: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        thetahat.cross_validate(
            X, VALUES, **{"learners": {"a": "ridge"}, "task": "regression", **arguments}
        )


def test_degenerate_the_first_error_is_raised_if_every_learner_fails() -> None:
    with pytest.raises(EvaluationError, match="Learner 'counts'"):
        thetahat.cross_validate(
            X, CLASSES, {"counts": "multinomial_naive_bayes"}, task="classification"
        )


def test_exact_the_example_of_the_documentation() -> None:
    failed, tried = doctest.testmod(entry_points)
    assert (failed, tried) == (0, 4)


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("margn", r"cross_validate has no option 'margn' \(did you mean 'margin'\?\)"),
        (
            "n_folds",
            r"parameters stand in its object, such as thetahat\.schemes\.k_fold\.KFold",
        ),
    ],
)
def test_invalid_options_are_named(option: str, words: str) -> None:
    options: dict[str, Any] = {option: 5}
    with pytest.raises(InvalidParameter, match=words) as caught:
        thetahat.cross_validate(X, VALUES, {"mean": "mean"}, task="regression", **options)
    assert caught.value.loc == (option,)
