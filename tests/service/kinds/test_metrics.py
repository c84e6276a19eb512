"""Metrics beside the loss, in kinds ``predictions`` and ``cross_validation``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.service.kinds.run_requests import parquet_file, place_of, run_kind
from tests.thetahat.metrics.published import (
    ADMISSION_FOLD,
    ADMISSION_SCORE,
    ADMITTED,
    NDKA,
    POOR_OUTCOME,
    S100B,
    WFNS,
)
from thetahat.errors import EvaluationError, LearnerFailed
from thetahat.metrics import METRICS
from thetahat_service.errors import InvalidRequest

MARKERS = {"wfns": WFNS.tolist(), "s100b": S100B.tolist(), "ndka": NDKA.tolist()}
OUTCOME = POOR_OUTCOME.tolist()
BODY: dict[str, Any] = {
    "kind": "predictions",
    "y": OUTCOME,
    "predictions": {name: [int(s > 2) for s in scores] for name, scores in MARKERS.items()},
    "scores": MARKERS,
    "blocks": "holdout",
    "loss": "zero_one",
    "metrics": ["roc_auc", {"name": "f1", "params": {"positive": 0}, "as": "f1_good"}],
}
RNG = np.random.default_rng(20_261_121)
N = 60
X = RNG.normal(size=(N, 3))
LABEL = np.where(X[:, 0] + RNG.normal(size=N) > 0, "yes", "no").tolist()
FIT: dict[str, Any] = {
    "kind": "cross_validation",
    "data": {"X": X.tolist(), "y": LABEL},
    "task": "classification",
    "learners": {"nb": "gaussian_naive_bayes", "majority": "majority"},
    "scheme": {"name": "stratified_k_fold", "params": {"n_folds": 5}},
    "metrics": ["roc_auc", "average_precision", "f1", "balanced_accuracy", "matthews"],
}


@pytest.mark.outside("R package pROC, tests/testthat/test-roc.test.R, on its data set aSAH")
def test_golden_aneurysm_patients_end_to_end() -> None:
    result = run_kind(BODY).result

    auc = result["models"]["s100b"]["metrics"]["roc_auc"]
    of = {i["method"]: i for i in auc["intervals"] if i["variance"] == "delong"}
    assert [name for name, each in of.items() if each["recommended"]] == ["area_score"]
    assert_allclose(
        [of["normal"]["lower"], of["normal"]["upper"]], [0.6301182117616226, 0.8326189156096511]
    )
    pair = result["comparisons"][0]["metrics"]["roc_auc"]
    assert_allclose([pair["statistic"], pair["p_value"]], [2.20898359144091, 0.0271757822291882])
    assert set(result["comparisons"][0]["metrics"]) == {"roc_auc", "f1_good"}
    used = [m for m in result["methods"] if m["family"] == "metrics"]
    assert [m["name"] for m in used] == ["roc_auc", "f1"]
    assert used[1]["as"] == "f1_good"
    assert used[1]["params"]["positive"] == 0


@pytest.mark.outside("R package cvAUC, example of man/ci.cvAUC.Rd (admissions)")
def test_golden_admissions_end_to_end() -> None:
    labels = ADMITTED.tolist()
    body = {
        "kind": "predictions",
        "y": labels,
        "predictions": {"m": labels},
        "scores": {"m": ADMISSION_SCORE.tolist()},
        "block": ADMISSION_FOLD.tolist(),
        "blocks": "random",
        "loss": "zero_one",
        "metrics": ["roc_auc"],
    }

    metric = run_kind(body).result["models"]["m"]["metrics"]["roc_auc"]

    assert_allclose(metric["estimate"]["macro"], 0.9046473, atol=5e-8)
    assert_allclose(metric["variances"]["ledell"]["standard_error"], 0.01620238, atol=5e-9)
    assert metric["method"] == "delong_blocks"
    assert metric["target"] == "these_models"


def test_exact_a_stored_data_set_says_the_same(tmp_path: Path) -> None:
    columns = {"y": OUTCOME, **MARKERS, "said": BODY["predictions"]["wfns"]}
    stored = {
        "kind": "predictions",
        "dataset": str(parquet_file(tmp_path, columns).id),
        "columns": {
            "target": "y",
            "predictions": {"wfns": "said"},
            "scores": {"wfns": "wfns"},
        },
        "blocks": "holdout",
        "loss": "zero_one",
        "metrics": ["roc_auc", "f1"],
    }
    inline = {
        **BODY,
        "predictions": {"wfns": BODY["predictions"]["wfns"]},
        "scores": {"wfns": MARKERS["wfns"]},
        "metrics": ["roc_auc", "f1"],
    }

    of_file = run_kind(stored, [parquet_file(tmp_path, columns)]).result["models"]

    assert of_file == run_kind(inline).result["models"]


def test_exact_regression_and_several_classes() -> None:
    numbers = {
        "kind": "predictions",
        "y": [3, -0.5, 2, 7],
        "predictions": {"m": [2.5, 0.0, 2, 8]},
        "blocks": "holdout",
        "loss": "squared",
        "metrics": ["r2"],
    }
    rows = [[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.4, 0.3, 0.3]]
    classes = {
        "kind": "predictions",
        "y": ["a", "b", "c", "b"],
        "predictions": {"m": ["a", "b", "c", "a"]},
        "scores": {"m": rows},
        "blocks": "holdout",
        "loss": "zero_one",
        "metrics": ["roc_auc", "matthews", {"name": "f1", "params": {"average": "macro"}}],
    }

    r2 = run_kind(numbers).result["models"]["m"]["metrics"]["r2"]
    three = run_kind(classes).result["models"]["m"]["metrics"]

    assert_allclose(r2["estimate"]["pooled"], 1 - 1.5 / (467 / 16))
    # a and c are ranked first of theirs; of b, .5 and .3 beat all: areas 1, 1 and 1
    assert three["roc_auc"]["estimate"]["pooled"] == 1.0
    # F1: a 2/3, b 2/3, c 1
    assert_allclose(three["f1"]["estimate"]["pooled"], 7 / 9)


@pytest.mark.parametrize(
    ("change", "place", "words"),
    [
        ({"metrics": ["r2"]}, ("metrics", 0), "Metrics that fit: average_precision"),
        ({"scores": {"wfns": WFNS.tolist()}}, ("metrics", 0), "none of 's100b', 'ndka'"),
        ({"scores": None}, ("metrics", 0), "fit: balanced_accuracy, cohen_kappa, f1, m"),
        (
            {"metrics": [{"name": "f1", "params": {"positive": "x"}}]},
            ("metrics", 0, "params", "positive"),
            "'x' is not one of the classes: 0, 1",
        ),
        (
            {"scores": {**MARKERS, "ndka": [[s, s, s] for s in MARKERS["ndka"]]}},
            ("scores", "ndka"),
            "2 classes and 3 columns",
        ),
        ({"metrics": ["f1"], "y": [*OUTCOME[:-1], 2]}, ("metrics", 0), "3 classes"),
        (
            {"metrics": ["roc_auc"], "y": [*OUTCOME[:-1], 2]},
            ("scores", "wfns"),
            "one score for each",
        ),
        ({"metrics": ["gini"]}, ("metrics", 0, "name"), "average_precision"),
        ({"metrics": ["f1", "f1"]}, ("metrics", 1), "'f1' is named twice"),
        (
            {"metrics": [{"name": "roc_auc", "params": {"n_resamples": 3}}]},
            ("metrics", 0, "params", "n_resamples"),
            "0, or 100",
        ),
    ],
)
def test_invalid_requests(change: dict[str, Any], place: tuple[str | int, ...], words: str) -> None:
    with pytest.raises((EvaluationError, InvalidRequest), match=words) as refused:
        run_kind({**BODY, **change})

    assert place_of(refused.value)[: len(place)] == place


def test_invalid_a_data_set_without_scores(tmp_path: Path) -> None:
    file = parquet_file(tmp_path, {"y": OUTCOME, "said": OUTCOME})
    body = {
        "kind": "predictions",
        "dataset": str(file.id),
        "columns": {"target": "y", "predictions": {"m": "said"}},
        "blocks": "holdout",
        "loss": "zero_one",
        "metrics": ["roc_auc"],
    }

    with pytest.raises(EvaluationError, match="none of 'm'") as refused:
        run_kind(body, [file])

    assert place_of(refused.value) == ("metrics", 0)


def test_against_sklearn_fitted_learners() -> None:
    from sklearn.metrics import roc_auc_score
    from sklearn.naive_bayes import GaussianNB

    result = run_kind(FIT).result
    metrics = result["models"]["nb"]["metrics"]
    columns = run_kind(FIT).losses
    assert columns is not None

    areas = []
    y = np.array(LABEL)
    block, instance = np.asarray(columns["block"]), np.asarray(columns["instance"])
    for k in range(5):
        test = instance[block == k]
        train = np.setdiff1d(np.arange(N), test)
        fitted = GaussianNB().fit(X[train], y[train])
        areas.append(roc_auc_score(y[test] == "yes", fitted.predict_proba(X[test])[:, 1]))

    assert_allclose(metrics["roc_auc"]["estimate"]["blocks"], areas)
    assert metrics["roc_auc"]["method"] == "delong_blocks"
    assert set(metrics) == set(FIT["metrics"])
    assert result["models"]["majority"]["metrics"]["roc_auc"]["estimate"]["macro"] == 0.5
    assert {m["name"] for m in result["methods"] if m["family"] == "metrics"} == set(metrics)


def test_invalid_scores_that_are_not_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    from sklearn.svm import LinearSVC

    def broken(_: LinearSVC, X: np.ndarray) -> np.ndarray:
        return np.full(len(X), np.nan)

    monkeypatch.setattr(LinearSVC, "decision_function", broken)
    monkeypatch.setattr(LinearSVC, "predict", lambda _, X: np.arange(len(X)) % 2)
    body = {**FIT, "learners": {"svc": "LinearSVC"}, "metrics": ["roc_auc"]}

    with pytest.raises(LearnerFailed, match="Learner 'svc' gave scores that are not numbers"):
        run_kind(body)


def test_exact_learners_on_a_stored_data_set(tmp_path: Path) -> None:
    columns = {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": LABEL}
    file = parquet_file(tmp_path, columns)
    stored = {k: v for k, v in FIT.items() if k != "data"}
    stored |= {"dataset": str(file.id), "columns": {"target": "y"}}

    of_file = run_kind(stored, [file]).result["models"]["nb"]["metrics"]

    assert of_file == run_kind(FIT).result["models"]["nb"]["metrics"]


def test_exact_decision_values_serve_as_scores() -> None:
    body = {**FIT, "learners": {"svc": "LinearSVC"}, "metrics": ["roc_auc"]}

    metric = run_kind(body).result["models"]["svc"]["metrics"]["roc_auc"]

    assert 0.5 < metric["estimate"]["macro"] < 1


def test_exact_sources_speak_of_a_new_source() -> None:
    body = {
        **FIT,
        "data": {**FIT["data"], "source": [f"s{i % 6}" for i in range(N)]},
        "scheme": "leave_one_source_out",
    }

    result = run_kind(body).result

    for metric in result["models"]["nb"]["metrics"].values():
        assert (metric["target"], metric["method"]) == ("new_source", "between_sources")
        assert metric["degrees_of_freedom"] == 5
    assert result["comparisons"][0]["metrics"]["roc_auc"]["target"] == "new_source"


@pytest.mark.parametrize(
    ("change", "place", "words"),
    [
        ({"metrics": ["r2"]}, ("metrics", 0), "r2 is for regression"),
        (
            {
                "learners": {"a": "gaussian_naive_bayes", "b": "Perceptron"},
                "task": "classification",
                "metrics": [{"name": "roc_auc", "params": {"positive": "maybe"}}],
            },
            ("metrics", 0, "params", "positive"),
            "'no', 'yes'",
        ),
        (
            {
                "learners": {"svc": "LinearSVC"},
                "metrics": ["roc_auc"],
                "data": {"X": X.tolist(), "y": [i % 3 for i in range(N)]},
            },
            ("metrics", 0),
            "learner 'svc' returned none",
        ),
    ],
)
def test_invalid_metrics_of_learners(
    change: dict[str, Any], place: tuple[str | int, ...], words: str
) -> None:
    with pytest.raises(EvaluationError, match=words) as refused:
        run_kind({**FIT, **change})

    assert place_of(refused.value) == place


def test_exact_the_registry_is_what_may_be_asked() -> None:
    assert list(METRICS) == [
        "average_precision",
        "balanced_accuracy",
        "cohen_kappa",
        "f1",
        "matthews",
        "precision",
        "r2",
        "recall",
        "roc_auc",
        "specificity",
    ]


def test_by_hand_precision_recall_and_specificity_have_intervals() -> None:
    body = {
        "kind": "predictions",
        "blocks": "holdout",
        "loss": "zero_one",
        "y": [1, 1, 1, 0, 0, 1, 0, 1, 0, 0],
        "predictions": {"m": [1, 0, 1, 0, 1, 1, 0, 1, 0, 1]},
        "metrics": ["precision", "recall", "specificity", "cohen_kappa"],
    }
    metrics = run_kind(body).result["models"]["m"]["metrics"]

    values = {name: metric["estimate"]["pooled"] for name, metric in metrics.items()}
    # agreement 7/10, expected by chance (5 * 6 + 5 * 4) / 100
    wanted = {"precision": 4 / 6, "recall": 4 / 5, "specificity": 3 / 5, "cohen_kappa": 0.2 / 0.5}
    assert values == pytest.approx(wanted, rel=1e-12)
    for name, metric in metrics.items():
        interval = metric["recommended"]["these_models"]
        assert interval["lower"] < values[name] < interval["upper"]
