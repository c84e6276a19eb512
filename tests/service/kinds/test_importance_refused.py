"""What importance weighting refuses, in words and at its place, and what it does at the edges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydantic import ValidationError

from tests.service.kinds.run_requests import parquet_file, place_of, run_kind
from tests.service.kinds.shifted_samples import BODY, FOLD, U, X, Y, Z, with_
from thetahat.errors import EvaluationError, InsufficientData
from thetahat_service.errors import InvalidRequest
from thetahat_service.kinds.importance_weighting import plan as _importance_plan
from thetahat_service.kinds.registry import JOB_KINDS

SOURCE: dict[str, Any] = BODY["source"]
TARGET: dict[str, Any] = BODY["target"]
WRONG_LABEL = [*U.tolist()[:-1], 3]


def weighted(values: Any) -> dict[str, Any]:
    """Return the request with weights that are given."""
    return with_(source={**SOURCE, "weight": values}, weights="given")


@pytest.mark.parametrize(
    ("change", "place", "match"),
    [
        ({"source": {"X": X.tolist()}}, ("source", "y"), "has no labels"),
        ({"source": {**SOURCE, "y": [1] * 30}}, ("source", "y"), "Every row has class 1"),
        ({"source": {**SOURCE, "y": [1, None] * 15}}, ("source", "y", 1), "y|target"),
        ({"source": {**SOURCE, "fold": [1] * 30}}, ("source", "fold"), "in one fold"),
        (
            {"source": {**SOURCE, "fold": [1]}},
            ("source", "fold"),
            "1 entries, and there are 30 rows",
        ),
        (
            {"source": {**SOURCE, "source": [1]}},
            ("source", "source"),
            "1 entries, and there are 30 rows",
        ),
        (
            {"target": {**TARGET, "y": WRONG_LABEL}},
            ("target", "y", 39),
            "which the source does not have",
        ),
        ({"target": {**TARGET, "y": [1]}}, ("target", "y"), "1 entries, and there are 40 rows"),
        ({"target": {"X": [[1.0], [2.0]]}}, ("target",), "2 features and the target has 1"),
        ({"weights": "kmm"}, ("weights", "name"), "not one of the importance weights"),
        ({"weights": {"name": "given", "as": "w"}}, ("weights", "as"), "needs no key"),
        (
            {"weights": "kernel_mean_matching", "weights_from": "training"},
            ("weights_from",),
            "Use one of gaussian_ratio, given, kliep, logistic, rulsif, ulsif",
        ),
        ({"risks": ["weighed"]}, ("risks", 0, "name"), "not one of the weighted risks"),
        ({"risks": ["weighted", "weighted"]}, ("risks", 1), "named twice"),
        ({"loss": "squared"}, ("loss",), "is for regression"),
        ({"loss": "log"}, ("learner",), "does not predict"),
        ({"learner": "nobody"}, ("learner", "name"), "'nobody' is not one of the learners"),
        ({"learner": "ridge", "learners": {"a": "ridge"}}, ("learner",), "either learner or"),
        ({"learner": "ridge", "intercept": True}, ("intercept",), "in the params of the learner"),
        (
            {"learners": {"a": "ridge"}, "intercept": True},
            ("intercept",),
            "in the params of a learner",
        ),
        ({"learners": {"": "ridge"}}, ("learners", ""), "1 to 120 characters"),
        ({"grids": {"b": {}}}, ("grids", "b"), "no learner 'b'. The learners are ridge"),
        ({"grid": {"penalty": [1], "intercept": [True]}}, ("grid",), "has one parameter"),
        ({"grid": {"penalty": []}}, ("grid", "penalty"), "at least one value"),
        ({"grid": {"penalty": [1.0, 1.0]}}, ("grid", "penalty", 1), "is in the grid twice"),
        ({"grid": {"penalty": [1.0, -1.0]}}, ("grid", "penalty", 1), "at least 0"),
        (
            {"grid": {"penalty": {"values": [1.0, -1.0]}}},
            ("grid", "penalty", "values", 1),
            "at least 0",
        ),
        ({"grid": {"penalties": [1.0]}}, ("grid", "penalties", 0), "no parameter"),
        ({"source": {**SOURCE, "X": [[1e150, 1.0]] * 30}}, ("source", "X", 0, 0), "at most 1e"),
        ({"grid": {"penalty": {"from": 1}}}, ("grid", "penalty"), "with from and to"),
        (
            {"grid": {"penalty": {"from": -1, "to": 1, "scale": "linear"}}},
            ("grid", "penalty"),
            "at least 0",
        ),
        ({"grid": {"penalty": {"from": 1, "to": 1}}}, ("grid", "penalty", "to"), "are both 1"),
        ({"grid": {"penalty": {"from": 2, "to": 1}}}, ("grid", "penalty", "to"), "smaller"),
        ({"grid": {"penalty": {"from": 0, "to": 1}}}, ("grid", "penalty", "from"), "above 0"),
        (
            {"grid": {"penalty": {"from": 1, "to": 2, "count": 1}}},
            ("grid", "penalty", "count"),
            "at least two values",
        ),
        (
            {"grid": {"penalty": {"from": 1, "to": 2, "values": [1]}}},
            ("grid", "penalty"),
            "either values or a range",
        ),
        (
            {"learner": {"name": "ridge", "params": {"penalty": 1}}},
            ("grid", "penalty"),
            "Give it once",
        ),
        (
            {"learner": "KNeighborsClassifier", "grid": {"n_neighbors": [1]}, "loss": "zero_one"},
            ("learner",),
            "Set weighted_fit to false",
        ),
        ({"learner": {"name": "mean"}, "task": "regression", "loss": "log"}, ("loss",), "loss"),
        ({"learner": "majority", "task": "regression"}, ("learner", "name"), "not for regression"),
    ],
)
def test_invalid_requests(change: dict[str, Any], place: tuple[Any, ...], match: str) -> None:
    with pytest.raises((EvaluationError, InvalidRequest), match=match) as caught:
        run_kind({**BODY, **change})
    assert place_of(caught.value) == place


def test_invalid_three_classes_for_a_decision_value() -> None:
    source = {"X": X.tolist(), "y": [1, 2, 3] * 10}
    with pytest.raises(EvaluationError, match="for two classes") as caught:
        run_kind(with_(source=source, target={"X": Z.tolist()}))
    assert caught.value.loc == ("loss",)


def test_invalid_more_folds_than_rows() -> None:
    source = {"X": X.tolist(), "y": Y.tolist()}
    with pytest.raises(InsufficientData, match="31 folds need as many rows") as caught:
        run_kind(with_(source=source, n_folds=31))
    assert caught.value.loc == ("n_folds",)


@pytest.mark.parametrize("change", [{"n_folds": 1}, {"level": 1.0}, {"risks": []}, {"grid": 3}])
def test_invalid_by_form(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        JOB_KINDS["importance_weighting"].request.model_validate({**BODY, **change})


def test_invalid_too_many_losses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_importance_plan, "MOST_LOSSES", 100)
    with pytest.raises(EvaluationError, match="Use fewer values") as caught:
        run_kind(BODY)
    assert caught.value.loc == ("grid",)


def test_invalid_columns_of_data_sets(tmp_path: Path) -> None:
    file = parquet_file(tmp_path, {"a": X[:, 0], "b": X[:, 1], "y": Y, "w": [1.0] * 30})

    def refused(columns: dict[str, Any], match: str) -> tuple[Any, ...]:
        source = {"dataset": str(file.id), "columns": columns}
        with pytest.raises((EvaluationError, InvalidRequest), match=match) as caught:
            run_kind(with_(source=source, target={"dataset": str(file.id)}), [file])
        return place_of(caught.value)

    assert refused({"features": ["a"]}, "has no labels") == ("source", "columns", "target")
    assert refused({"target": "x"}, "no column 'x'") == ("source", "columns", "target")
    assert refused({"target": "y", "fold": "f"}, "no column 'f'") == ("source", "columns", "fold")
    assert refused({"target": "y", "features": ["y"]}, "has another role") == (
        *("source", "columns", "features", 0),
    )
    assert refused({"target": "y", "fold": "a"}, "fold") == ("source", "columns", "fold", 0)


@pytest.mark.parametrize(
    ("weights", "match"),
    [([0.0] * 30, "All weights are zero"), ([-1.0] + [1.0] * 29, "below 0|negative")],
)
def test_invalid_weights(weights: list[float], match: str) -> None:
    with pytest.raises(EvaluationError, match=match):
        run_kind(weighted(weights))


def test_degenerate_a_fold_whose_weights_are_all_zero() -> None:
    result = run_kind(weighted(np.where(FOLD == 2, 0.0, 1.0).tolist())).result

    assert [c["code"] for c in result["cautions"]] == ["fold_without_weight", "least_of_many"]
    assert "All weights in fold 2 are 0" in result["cautions"][0]["message"]
    for name in ("weighted", "controlled"):
        assert np.isfinite(result["risks"][name]["curve"]).all()


def test_degenerate_all_weight_in_one_fold() -> None:
    body = weighted(np.where(FOLD == 2, 1.0, 0.0).tolist())
    result = run_kind(body).result
    curve = result["risks"]["weighted"]["curve"]

    # fold 2 is predicted by a fit that is 0, whatever the penalty: its losses are 1
    assert_allclose(curve, np.full(4, (FOLD == 2).mean()), rtol=1e-12)
    assert result["risks"]["weighted"]["selected"] == 10_000.0  # of equal risks the larger
    assert "no_weight_to_learn_from" in [c["code"] for c in result["cautions"]]
    with pytest.raises(InsufficientData, match="fold 2: all weights of the training part"):
        run_kind({**body, "intercept": True})


def test_degenerate_a_huge_weight_and_copies_of_a_row() -> None:
    rows = X.copy()
    rows[10:20] = rows[0]
    source = {**SOURCE, "X": rows.tolist()}
    result = run_kind(with_(source=source)).result
    huge = run_kind(weighted([1e100] + [1.0] * 29)).result

    assert np.isfinite(result["risks"]["controlled"]["curve"]).all()
    assert np.isfinite(huge["risks"]["controlled"]["curve"]).all()
    assert "one_weight_dominates" in [c["code"] for c in huge["weights"]["cautions"]]


def test_degenerate_two_source_rows() -> None:
    source = {"X": [[0.0], [1.0]], "y": [1, -1]}
    target = {"X": [[0.5], [0.7], [1.0]], "y": [1, -1, -1]}
    result = run_kind(with_(source=source, target=target, n_folds=2)).result

    assert len(result["weights"]["values"]) == 2
    assert np.isfinite(result["risks"]["controlled"]["curve"]).all()
    with pytest.raises(InsufficientData, match="5 folds need as many rows, and there are 2"):
        run_kind(with_(source=source, target=target))


def test_degenerate_one_target_row_has_no_variance() -> None:
    target = {"X": Z[:1].tolist(), "y": U[:1].tolist()}
    risk = run_kind(with_(target=target, weights="ulsif")).result["risks"]["weighted"]

    assert risk["target_risk_variance"] is None
    assert risk["target_risk_interval"] is None
    assert risk["regret"] >= 0


def test_degenerate_a_hundred_features() -> None:
    rng = np.random.default_rng(1)
    source = {"X": rng.normal(size=(40, 100)).tolist(), "y": [1, -1] * 20}
    target = {"X": rng.normal(size=(50, 100)).tolist()}
    result = run_kind(with_(source=source, target=target, weights="logistic")).result

    assert np.isfinite(result["risks"]["controlled"]["curve"]).all()
    with pytest.raises(InsufficientData, match="40 rows and 89 features"):
        run_kind(with_(source=source, target=target))


def test_degenerate_training_parts_too_small_for_a_covariance() -> None:
    source = {"X": X[:4].tolist(), "y": [1, -1, 1, -1], "fold": [0, 0, 1, 1]}
    with pytest.raises(InsufficientData, match="without fold 0: The source has 2"):
        run_kind(with_(source=source, weights_from="training"))


def test_degenerate_a_learner_that_fails_is_named_or_left_out() -> None:
    # all rows of one class outside fold 0, which this learner refuses
    y = np.where(FOLD == 0, [1, -1] * 15, 1)
    source = {**SOURCE, "y": y.tolist()}
    body = with_(source=source, loss="zero_one", target={"X": Z.tolist()}, grid=None)
    bayes = {"name": "linear_discriminant"}
    with pytest.raises(EvaluationError, match="The training part has 1 class"):
        run_kind({**body, "learner": bayes})
    result = run_kind({**body, "learners": {"da": bayes, "ridge": "ridge"}}).result

    assert list(result["learners"]) == ["ridge"]
    assert list(result["failures"]) == ["da"]
    (caution,) = [c["message"] for c in result["cautions"] if c["code"] == "learner_left_out"]
    assert caution.startswith("Learner 'da'")
    assert result["comparisons"] == []


def test_degenerate_a_value_of_the_grid_that_fails_is_named() -> None:
    body = with_(
        learner={"name": "GradientBoostingClassifier", "params": {"n_estimators": 2}},
        grid={"max_features": [1, 2, 3]},
        loss="zero_one",
    )
    result = run_kind(body).result
    assert len(result["risks"]["weighted"]["curve"]) == 3
