"""Every pointwise loss, from given predictions and from learners."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.service.kinds.run_requests import place_of, run_kind
from thetahat.errors import EvaluationError
from thetahat.losses import LOSSES
from thetahat_service.errors import InvalidRequest

RNG = np.random.default_rng(111)
N = 40
X = RNG.normal(size=(N, 2)).round(6)
WORDS = np.where(X[:, 0] + RNG.normal(size=N) > 0, "spam", "ham").tolist()
COUNTS = RNG.poisson(np.exp(0.5 * X[:, 0])).tolist()
COSTS = {"spam": {"ham": 1}, "ham": {"spam": 10}}
BLOCK = [i % 4 for i in range(N)]
PARAMS: dict[str, dict[str, Any]] = {"cost_matrix": {"costs": COSTS}}


def method(name: str) -> dict[str, Any]:
    return {"name": name, "params": PARAMS.get(name, {})}


def cross_validation(name: str, **more: Any) -> dict[str, Any]:
    regression = LOSSES[name].task == "regression"
    learners = {"lda": "LinearDiscriminantAnalysis"}
    counts = {"poisson": "PoissonRegressor", "mean": "mean"}
    return {
        "kind": "cross_validation",
        "data": {"X": X.tolist(), "y": COUNTS if regression else WORDS},
        "task": "regression" if regression else "classification",
        "learners": counts if regression else learners,
        "scheme": {"name": "k_fold", "params": {"n_folds": 4}},
        "loss": method(name),
        **more,
    }


def predictions(name: str, **more: Any) -> dict[str, Any]:
    task, uses = LOSSES[name].task, LOSSES[name].uses
    predicted: list[Any] = np.exp(0.4 * X[:, 0]).tolist() if task == "regression" else WORDS[::-1]
    body = {
        "kind": "predictions",
        "y": COUNTS if task == "regression" else WORDS,
        "predictions": {"m": predicted},
        "blocks": "random",
        "block": BLOCK,
        "loss": method(name),
        **more,
    }
    if uses in {"regions", "limits"}:
        del body["predictions"]
        low, high = (predicted, (np.array(predicted) + 1).tolist()) if task else ([], [])
        regions = {"limits": {"m": {"lower": low, "upper": high}}}
        body |= regions if task else {"sets": {"m": [["spam"], ["ham", "spam"]] * (N // 2)}}
    elif uses != "output":
        values = 1 / (1 + np.exp(-X[:, 0])) if uses == "probabilities" else X[:, 0]
        body.setdefault("scores", {"m": values.tolist()})
    return body


@pytest.mark.parametrize("name", LOSSES)
def test_property_from_predictions(name: str) -> None:
    result = run_kind(predictions(name)).result

    assert result["models"]["m"]["n"] == N
    assert result["models"]["m"]["intervals"]


@pytest.mark.parametrize(
    "name", [name for name, loss in LOSSES.items() if loss.uses not in {"regions", "limits"}]
)
def test_property_from_learners(name: str) -> None:
    result = run_kind(cross_validation(name)).result

    assert result["failures"] == {}
    assert all(model["n"] == N for model in result["models"].values())


def test_exact_costs_of_given_decisions() -> None:
    expected = [0 if a == b else COSTS[a][b] for a, b in zip(WORDS, WORDS[::-1], strict=True)]

    mean = run_kind(predictions("cost_matrix")).result["models"]["m"]["mean"]["pooled"]

    assert mean == pytest.approx(np.mean(expected), rel=1e-12)


def test_against_sklearn_decision_values_of_a_linear_classifier() -> None:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    finished = run_kind(cross_validation("hinge"))
    assert finished.losses is not None
    table = finished.losses.to_pydict()
    losses = dict(zip(table["instance"], table["lda"], strict=True))
    block = dict(zip(table["instance"], table["block"], strict=True))
    signs = np.where(np.array(WORDS) == "spam", 1, -1)
    for fold in range(4):
        test = [i for i in range(N) if block[i] == fold]
        train = [i for i in range(N) if block[i] != fold]
        fitted = LinearDiscriminantAnalysis().fit(X[train], signs[train])
        expected = np.maximum(0, 1 - signs[test] * fitted.decision_function(X[test]))
        assert_allclose([losses[i] for i in test], expected, rtol=1e-9, atol=1e-12)


def test_exact_clip_knows_the_range_of_the_costs() -> None:
    body = predictions("cost_matrix", clip=True, level=0.999999)

    intervals = run_kind(body).result["models"]["m"]["intervals"]

    assert min(i["lower"] for i in intervals) == 0
    assert max(i["upper"] for i in intervals) <= 10


@pytest.mark.parametrize("name", ["hinge", "logistic", "quadratic_margin"])
def test_invalid_learner_without_decision_values_is_refused_at_once(name: str) -> None:
    with pytest.raises(EvaluationError, match="needs decision values") as caught:
        run_kind(cross_validation(name, learners={"near": "nearest_neighbours"}))
    assert place_of(caught.value) == ("learners", "near")


def test_invalid_learner_without_probabilities_is_refused_at_once() -> None:
    with pytest.raises(EvaluationError, match="needs class probabilities") as caught:
        run_kind(cross_validation("brier", learners={"svm": "LinearSVC"}))
    assert place_of(caught.value) == ("learners", "svm")


@pytest.mark.parametrize("name", ["hinge", "logistic", "quadratic_margin"])
def test_invalid_three_classes(name: str) -> None:
    three = ["ham", "spam", "news", *WORDS[3:]]
    data = {"X": X.tolist(), "y": three}
    with pytest.raises(EvaluationError, match="is for two classes, and there are 3") as caught:
        run_kind(cross_validation(name, data=data))
    assert place_of(caught.value) == ("loss",)
    with pytest.raises(EvaluationError, match="is for two classes, and there are 3") as caught:
        run_kind(predictions(name, y=three))
    assert place_of(caught.value) == ("loss",)


def test_invalid_scores_of_given_predictions() -> None:
    with pytest.raises(EvaluationError, match="Give those of 'm' in scores") as caught:
        run_kind(predictions("hinge", scores={}))
    assert place_of(caught.value) == ("scores", "m")
    with pytest.raises(
        EvaluationError, match="one decision value for each row, and 'm' has 2"
    ) as caught:
        run_kind(predictions("hinge", scores={"m": [[0.5, 0.5]] * N}))
    assert place_of(caught.value) == ("scores", "m")


def test_invalid_costs_without_a_class_and_with_words() -> None:
    two = {"costs": {"a": {"b": 1}, "b": {"a": 1}}}
    for body in (cross_validation("cost_matrix"), predictions("cost_matrix")):
        body["loss"] = {"name": "cost_matrix", "params": two}
        with pytest.raises(EvaluationError, match="no costs for class 'ham'") as caught:
            run_kind(body)
        assert place_of(caught.value) == ("loss", "params", "costs")
        for params in ({}, {"costs": "cheap"}):
            body["loss"] = {"name": "cost_matrix", "params": params}
            with pytest.raises(InvalidRequest) as refused:
                run_kind(body)
            assert place_of(refused.value)[:3] == ("loss", "params", "costs")


def test_invalid_counts_are_shown_in_place() -> None:
    negative = [-1 if i == 7 else count for i, count in enumerate(COUNTS)]
    with pytest.raises(EvaluationError, match="target must be 0 or more") as caught:
        run_kind(cross_validation("poisson_deviance", data={"X": X.tolist(), "y": negative}))
    assert place_of(caught.value) == ("data", "y", 7)
    with pytest.raises(EvaluationError, match="target must be 0 or more") as caught:
        run_kind(predictions("poisson_deviance", y=negative))
    assert place_of(caught.value) == ("y", 7)
    counts = [0.0 if i == 3 else 1.0 for i in range(N)]
    with pytest.raises(EvaluationError, match="prediction must be above 0") as caught:
        run_kind(predictions("poisson_deviance", predictions={"m": counts}))
    assert place_of(caught.value) == ("predictions", "m", 3)


def test_invalid_prediction_of_a_learner_names_the_row() -> None:
    """A line below 0 somewhere: that learner is left out, the others stand."""
    line = {"name": "ridge", "params": {"penalty": 1e-9}}
    steep = [[float(i), 0.0] for i in range(N)]
    y = [0.0] * (N // 2) + [50.0] * (N // 2)
    body = cross_validation(
        "poisson_deviance",
        data={"X": steep, "y": y},
        learners={"line": line, "mean": "mean"},
    )

    result = run_kind(body).result

    assert set(result["models"]) == {"mean"}
    assert "must be above 0" in result["failures"]["line"]["message"]
    assert ", row " in result["failures"]["line"]["message"]
