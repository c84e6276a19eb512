from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from tests.cases import case
from thetahat.analyses.losses import CORRECTIONS, EVERY_TEST
from thetahat.common_names import COMMON_NAMES
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.families import collect_families
from thetahat.losses import LOSSES
from thetahat.metrics import METRICS
from thetahat.pipelines.allowed_classes import CLASSIFIERS, REGRESSORS
from thetahat.pipelines.building import build
from thetahat.pipelines.spec import LearnerSpec
from thetahat.registry import Registry
from thetahat.schemes import SCHEMES
from thetahat.similar_names import find_similar_name, suggest_name
from thetahat.values.types import BlockKind


@pytest.mark.parametrize("name", ["kfold", "KFold", "k-fold", "k_folds"])
def test_exact_a_near_name_is_asked_about(name: str) -> None:
    assert suggest_name(name, SCHEMES) == " (did you mean 'k_fold'?)"


def test_exact_a_sentence_of_advice_is_no_name() -> None:
    assert suggest_name("accuracy", LOSSES, "losses").startswith(" (accuracy is 1 minus the mean")
    assert find_similar_name("accuracy", LOSSES, "losses") is None
    assert find_similar_name("mse", LOSSES, "losses") == "squared"


def test_exact_the_ending_decides_between_equal_heads() -> None:
    known = ["RandomForestClassifier", "RandomForestRegressor", "Ridge", "CV"]

    assert (
        suggest_name("RandomForrestRegressor", known) == " (did you mean 'RandomForestRegressor'?)"
    )
    assert (
        suggest_name("random_forest_classifier", known)
        == " (did you mean 'RandomForestClassifier'?)"
    )
    assert suggest_name("cv", known) == " (did you mean 'CV'?)"


@pytest.mark.parametrize(
    ("name", "task", "words"),
    [
        ("RandomForestRegressor", "classification", "did you mean 'RandomForestClassifier'"),
        ("RandomForestClassifier", "regression", "did you mean 'RandomForestRegressor'"),
        ("sklearn.svm.SVC", "classification", r"did you mean 'SVC'\?"),
        ("sklearn.ensemble.RandomForest", "regression", "did you mean 'RandomForestRegressor'"),
        ("majority", "regression", "majority is not for regression; learners"),
    ],
)
def test_exact_a_learner_for_another_task_names_its_twin(name: str, task: str, words: str) -> None:
    with pytest.raises(EvaluationError, match=words):
        build(LearnerSpec(name=name), task)


def test_degenerate_nothing_is_near() -> None:
    assert suggest_name("xyz", SCHEMES) == ""
    assert suggest_name("", SCHEMES) == ""
    assert suggest_name("XGBClassifier", ["SGDClassifier", "MLPClassifier", "RidgeCV"]) == ""
    assert suggest_name("GridSearchCV", ["RidgeCV", "LassoCV"]) == ""
    assert suggest_name("k_fold" * 20, SCHEMES) == ""
    assert suggest_name("k_fold", []) == ""
    assert suggest_name("features", ["learners", "scheme"]) == ""


def test_invalid_a_registry_asks_too() -> None:
    registry: Registry[type[object]] = Registry("things", {"pear": object, "plum": object})
    with pytest.raises(ValueError, match=r"^'peer' is not one of the things \(did .* 'pear'\?\): "):
        registry.get_method("peer")


REGISTRIES: dict[str, Any] = {
    "losses": LOSSES,
    "metrics": METRICS,
    "schemes": SCHEMES,
    "tests": EVERY_TEST,
    "corrections": CORRECTIONS,
}


@pytest.mark.parametrize(
    ("family", "name", "advice"),
    [
        ("losses", "accuracy", '"loss": "zero_one"'),
        ("losses", "mse", "did you mean 'squared'?"),
        ("losses", "MAE", "did you mean 'absolute'?"),
        ("losses", "log_loss", "did you mean 'log'?"),
        ("losses", "auc", "name it in metrics"),
        ("metrics", "accuracy", "1 minus the mean of the loss 'zero_one'"),
        ("metrics", "mse", "the mean of the loss 'squared'"),
        ("metrics", "AUC", "did you mean 'roc_auc'?"),
        ("schemes", "cv", "did you mean 'k_fold'?"),
        ("schemes", "GroupKFold", "did you mean 'source_k_fold'?"),
        ("tests", "t-test", "did you mean 'paired_t_blocks'?"),
        ("corrections", "fdr_bh", "did you mean 'benjamini_hochberg'?"),
    ],
)
def test_exact_common_names(family: str, name: str, advice: str) -> None:
    with pytest.raises(InvalidParameter) as caught:
        REGISTRIES[family].get_method(name)

    text = caught.value.message
    assert advice in text
    assert "did you mean 'balanced_accuracy'" not in text


@pytest.mark.parametrize(
    ("name", "task", "advice"),
    [
        ("knn", "regression", "did you mean 'nearest_neighbours'?"),
        ("RandomForest", "classification", "did you mean 'RandomForestClassifier'?"),
        ("RandomForest", "regression", "did you mean 'RandomForestRegressor'?"),
        ("random_forest", "classification", "did you mean 'RandomForestClassifier'?"),
        ("rf", "regression", "did you mean 'RandomForestRegressor'?"),
        ("svm", "regression", "did you mean 'SVR'?"),
        ("XGBClassifier", "classification", "fit it yourself and send predictions"),
        ("lightgbm", "regression", "fit it yourself and send predictions"),
    ],
)
def test_exact_common_learners(name: str, task: str, advice: str) -> None:
    with pytest.raises(InvalidParameter) as caught:
        build(LearnerSpec(name), task)

    assert advice in caught.value.message


def test_exact_common_parameters_and_fields() -> None:
    assert suggest_name("n_splits", ["n_folds"], "parameters") == " (did you mean 'n_folds'?)"
    assert suggest_name("n_splits", ["n_draws"], "parameters") == " (did you mean 'n_draws'?)"
    assert suggest_name("n_splits", ["scheme", "learners"], "fields") == " (did you mean 'scheme'?)"


def test_exact_common_names_are_known_names_or_sentences() -> None:
    methods = [method for registry in collect_families().values() for method in registry.items()]
    known = {*CLASSIFIERS, *REGRESSORS, *(name for name, _ in methods)}
    known |= {*BlockKind}
    known |= {"n_neighbors"}  # of scikit-learn's estimators
    known |= {field.name for _, method in methods for field in _fields_of(method)}
    for family, names in COMMON_NAMES.items():
        if family == "fields":
            continue  # tests.service.api.test_words_of_refusals has them
        for letters, value in names.items():
            with case(family, letters):
                assert letters == "".join(c for c in letters.casefold() if c.isalnum())
                for name in (value,) if isinstance(value, str) else value:
                    assert " " in name or name in known


def _fields_of(method: Any) -> tuple[Any, ...]:
    return dataclasses.fields(method) if dataclasses.is_dataclass(method) else ()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("precison", "did you mean 'precision'?"),
        ("sensitivity", "did you mean 'recall'?"),
        ("specifity", "did you mean 'specificity'?"),
        ("kappa", "did you mean 'cohen_kappa'?"),
        ("f1_weighted", "the metric f1 takes the parameter average: 'weighted'"),
        ("npv", "parameter positive names the other class"),
        ("precision_at_k", ""),
        ("mean_average_precision", ""),
        ("top_k_accuracy", ""),
        ("quadratic_kappa", ""),
        ("f2", ""),
        ("adjusted_r2", ""),
    ],
)
def test_exact_hints_of_metrics_never_name_another_number(name: str, said: str) -> None:
    hint = suggest_name(name, METRICS, "metrics")

    assert said in hint
    assert bool(said) == bool(hint)
