"""Probabilities, prediction sets and limits in every form of a request, and as they are shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import thetahat
from tests.service.kinds.run_requests import parquet_file, place_of, run_kind
from thetahat.errors import EvaluationError
from thetahat_service.errors import ServiceError
from thetahat_service.figures.catalogue import list_figures
from thetahat_service.figures.drawing import draw
from thetahat_service.figures.style import Style

N = 90
RNG = np.random.default_rng(36)
P = {name: RNG.beta(1.5, 2, N).round(3) for name in ("new", "old")}
Y = (RNG.random(N) < P["new"]).astype(int)
ASKED: dict[str, Any] = {"thresholds": [0.5], "bins": 10, "band_resamples": 200}
BODY: dict[str, Any] = {"kind": "predictions", "blocks": "holdout", "loss": "brier"}
INLINE: dict[str, Any] = {
    **BODY,
    "y": Y.tolist(),
    "scores": {name: p.tolist() for name, p in P.items()},
    "probabilities": ASKED,
}
SETS = [["a"], ["a", "b"], [], ["b", "c"], ["c"], ["a", "b", "c"]] * 15
LABELS = RNG.choice(["a", "b", "c"], N).tolist()
LIMITS = {"lower": (P["new"] - 0.4).tolist(), "upper": (P["new"] + 0.5).tolist()}


@pytest.fixture(scope="module")
def result() -> Any:
    return run_kind(INLINE).result


def test_exact_the_library_and_the_service_agree(result: Any) -> None:
    evaluated = thetahat.evaluate_predictions(
        Y.tolist(), scores=P, loss="brier", blocks="holdout", probabilities=ASKED, seed=7
    ).to_dict()

    for part in ("models", "comparisons"):
        assert json.loads(json.dumps(evaluated[part])) == result[part]


def test_exact_columns_of_a_data_set(result: Any, tmp_path: Path) -> None:
    file = parquet_file(tmp_path, {"y": Y, **P})
    columns = {"target": "y", "scores": {"new": "new", "old": "old"}}
    body = {**BODY, "dataset": str(file.id), "columns": columns, "probabilities": ASKED}
    ran = run_kind(body, [file]).result

    assert ran["models"] == result["models"]
    assert ran["comparisons"] == result["comparisons"]


def test_exact_rows_that_are_left_out(result: Any) -> None:
    scores = {name: [*values, None] for name, values in INLINE["scores"].items()}
    body = {**INLINE, "y": [*INLINE["y"], 1], "scores": scores, "missing": "leave_out"}
    ran = run_kind(body).result

    assert ran["models"]["new"]["probabilities"] == result["models"]["new"]["probabilities"]


def test_exact_without_the_field_there_is_nothing() -> None:
    ran = run_kind({**INLINE, "probabilities": False}).result

    assert "probabilities" not in ran["models"]["new"]
    assert "probabilities" not in ran["comparisons"][0]


def test_exact_real_data_show_who_is_over_confident() -> None:
    """Naive Bayes of correlated features of tumours is too sure; logistic regression is not."""
    x, y = load_breast_cancer(return_X_y=True)
    x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.5, random_state=0)
    scores = {}
    for name, learner in (("bayes", GaussianNB()), ("logistic", LogisticRegression())):
        fitted = make_pipeline(StandardScaler(), learner).fit(x_train, y_train)
        scores[name] = np.clip(fitted.predict_proba(x_test)[:, 1], 1e-9, 1 - 1e-9).tolist()
    body = {**BODY, "y": y_test.tolist(), "scores": scores, "probabilities": True}
    ran = run_kind(body).result
    bayes, logistic = (ran["models"][name]["probabilities"] for name in scores)
    pair = ran["comparisons"][0]["probabilities"]

    assert bayes["recalibration"]["slope"]["upper"] < 0.5
    assert bayes["parts"]["log"]["p_value"] < 0.01
    assert logistic["parts"]["log"]["p_value"] > 0.05
    assert pair["parts"]["log"]["score"]["lower"] > 0
    assert pair["sentence"].startswith("logistic has better probabilities than bayes")


def test_exact_cross_validation_over_http_form() -> None:
    x = np.column_stack([P["new"], P["old"]]).round(3)
    body = {
        "kind": "cross_validation",
        "data": {"X": x.tolist(), "y": ["yes" if y else "no" for y in Y]},
        "task": "classification",
        "learners": {"lda": "linear_discriminant", "logistic": "logistic_regression"},
        "scheme": {"name": "k_fold", "params": {"n_folds": 5}},
        "probabilities": {"slope": False, "band_resamples": 100},
    }
    ran = run_kind(body).result
    again = thetahat.cross_validate(
        x,
        body["data"]["y"],  # type: ignore[index]
        {"lda": "linear_discriminant", "logistic": "logistic_regression"},
        task="classification",
        cv=5,
        probabilities=body["probabilities"],  # type: ignore[arg-type]
        seed=7,
    ).to_dict()

    found = ran["models"]["lda"]["probabilities"]
    assert (found["event"], found["n"]) == ("yes", N)
    assert "recalibration" not in found
    assert json.loads(json.dumps(again["models"]["lda"]["probabilities"])) == found


def test_exact_sets_of_a_request_and_of_a_file(tmp_path: Path) -> None:
    body = {**BODY, "loss": "miscoverage", "y": LABELS, "sets": {"m": SETS}}
    ran = run_kind(body).result["models"]
    columns = {c: [int(c in labels) for labels in SETS] for c in "abc"}
    file = parquet_file(tmp_path, {"y": LABELS, **columns})
    named = {"target": "y", "sets": {"m": ["a", "b", "c"]}}
    of_file = {**BODY, "loss": "miscoverage", "dataset": str(file.id), "columns": named}

    assert run_kind(of_file, [file]).result["models"] == ran
    missed = [label not in labels for label, labels in zip(LABELS, SETS, strict=True)]
    assert ran["m"]["mean"]["pooled"] == pytest.approx(np.mean(missed), rel=1e-12)


@pytest.mark.parametrize("loss", ["miscoverage", "size", "interval_score"])
def test_exact_limits_of_a_request_and_of_a_file(loss: str, tmp_path: Path) -> None:
    y = P["old"].tolist()
    body = {**BODY, "loss": loss, "y": y, "limits": {"m": LIMITS}}
    ran = run_kind(body).result["models"]
    file = parquet_file(tmp_path, {"y": y, **LIMITS})
    named = {"target": "y", "limits": {"m": {"lower": "lower", "upper": "upper"}}}
    of_file = {**BODY, "loss": loss, "dataset": str(file.id), "columns": named}

    assert run_kind(of_file, [file]).result["models"] == ran
    evaluated = thetahat.evaluate_predictions(
        y, limits={"m": LIMITS}, loss=loss, blocks="holdout", seed=7
    )
    assert json.loads(json.dumps(evaluated.to_dict()["models"])) == ran


def test_exact_two_models_of_limits_have_verdicts_groups_and_margins() -> None:
    wide = {"lower": [-5.0] * N, "upper": [5.0] * N}
    body = {
        **BODY,
        "loss": "interval_score",
        "y": P["old"].tolist(),
        "limits": {"near": LIMITS, "wide": wide},
        "groups": {"g": ["x", "y"] * 45},
        "margin": 0.5,
    }
    pair = run_kind(body).result["comparisons"][0]

    assert pair["verdict"]["decision"] == "better"
    assert {item["decision"] for item in pair["groups"]["g"]["items"]} == {"better"}


def test_exact_the_figure_has_the_steps_and_the_band(result: Any) -> None:
    figure = next(each for each in list_figures(result) if each.name == "reliability")
    spec = figure.build_spec(Style())
    rows = spec["data"]["values"]

    for name, model in result["models"].items():
        curve = model["probabilities"]["curve"]
        drawn = [row for row in rows if row["series"] == name]
        for key, part in (
            *(("x", "predicted"), ("y", "recalibrated")),
            *(("lower", "lower"), ("upper", "upper")),
        ):
            assert [row[key] for row in drawn] == curve[part]
    assert draw(spec, "svg").startswith(b"<svg")


def request(**changes: Any) -> dict[str, Any]:
    return {name: value for name, value in {**INLINE, **changes}.items() if value is not None}


OF_SETS = {"scores": None, "probabilities": None, "loss": "miscoverage", "y": LABELS}
OF_LIMITS = {**OF_SETS, "y": P["old"].tolist()}


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"probabilities": {"thresholds": [0.5, 2]}}, ("probabilities", "thresholds", 1)),
        ({"probabilities": True, "loss": "hinge"}, ("probabilities",)),
        ({"scores": {"new": [*P["new"][:-1].tolist(), 1.5]}}, ("scores", "new", 89)),
        ({"sets": {"m": SETS}}, ("sets",)),
        ({**OF_SETS, "sets": {"m": SETS[:-1]}}, ("sets", "m")),
        ({**OF_SETS, "sets": {"m": [*SETS[:-1], "a"]}}, ("sets", "m", 89)),
        ({**OF_SETS, "sets": {"m": [*SETS[:-1], ["a", "a"]]}}, ("sets", "m", 89, 1)),
        (
            {**OF_SETS, "sets": {"m": [*SETS[:-1], ["d"]]}, "classes": ["a", "b", "c"]},
            ("sets", "m", 89, 0),
        ),
        ({**OF_SETS, "sets": {"m": [*SETS[:-1], None]}}, ("sets", "m")),
        (
            {**OF_LIMITS, "limits": {"m": {"lower": [2.0] * N, "upper": [1.0] * N}}},
            ("limits", "m", "lower", 0),
        ),
        ({**OF_LIMITS, "limits": {"m": {**LIMITS, "upper": [1.0]}}}, ("limits", "m", "upper")),
        (
            {**OF_LIMITS, "limits": {"m": {**LIMITS, "upper": ["x", *[1.0] * (N - 1)]}}},
            ("limits", "m", "upper", 0),
        ),
        ({**OF_LIMITS, "limits": {"m": LIMITS}, "sets": {"m": SETS}}, ("limits",)),
        ({**OF_SETS, "predictions": {"m": LABELS}}, ("limits", "m")),
    ],
)
def test_invalid_requests(changes: dict[str, Any], place: tuple[Any, ...]) -> None:
    with pytest.raises((EvaluationError, ServiceError)) as caught:
        run_kind(request(**changes))

    assert place_of(caught.value)[: len(place)] == place


def test_invalid_loss_of_sets_in_a_cross_validation() -> None:
    body = {
        "kind": "cross_validation",
        "data": {"X": [[float(p)] for p in P["new"]], "y": Y.tolist()},
        "task": "classification",
        "learners": {"m": "majority"},
        "scheme": "k_fold",
        "loss": "miscoverage",
    }
    with pytest.raises(EvaluationError, match="kind predictions") as caught:
        run_kind(body)

    assert place_of(caught.value) == ("loss",)
