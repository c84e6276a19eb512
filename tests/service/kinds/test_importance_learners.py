"""Importance weighting with other learners, several of them, and in pieces."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.service.kinds.run_requests import SPACE, as_json, run_kind
from tests.service.kinds.shifted_samples import BODY, PENALTIES, U, X, Z, with_
from thetahat.errors import InvalidParameter
from thetahat.pipelines import building
from thetahat.weighted_risks import WEIGHTED_RISKS
from thetahat_service.json_encoding import encode_json
from thetahat_service.kinds.base import Chunk, Job, run_chunks
from thetahat_service.kinds.importance_weighting import kind as importance_weighting
from thetahat_service.kinds.importance_weighting.plan import build_plan
from thetahat_service.kinds.registry import JOB_KINDS


def codes(cautions: list[dict[str, str]]) -> list[str]:
    return [caution["code"] for caution in cautions]


def test_exact_an_intercept_is_not_penalised() -> None:
    shifted = {**BODY["source"], "X": (X + np.array([0, 50.0])).tolist()}
    away = with_(source=shifted, target={"X": (Z + np.array([0, 50.0])).tolist(), "y": U.tolist()})
    by_name = {"name": "ridge", "params": {"intercept": True}}

    centred, other = (run_kind({**body, "intercept": True}).result for body in (BODY, away))
    named = run_kind({**BODY, "learner": by_name}).result
    for name in ("weighted", "controlled"):
        assert_allclose(other["risks"][name]["curve"], centred["risks"][name]["curve"], rtol=1e-7)
        assert named["risks"][name] == centred["risks"][name]
    assert centred["risks"] != run_kind(BODY).result["risks"]


def test_exact_other_learners_are_fitted_at_each_value() -> None:
    """A grid over the inverse penalty of a classifier that takes weights; larger is weaker."""
    learner = {"name": "RidgeClassifier", "params": {"fit_intercept": False, "solver": "cholesky"}}
    body = with_(learner=learner, grid={"alpha": PENALTIES}, risks=list(WEIGHTED_RISKS))
    single, other = run_kind({**BODY, "risks": list(WEIGHTED_RISKS)}).result, run_kind(body).result

    for name in WEIGHTED_RISKS:
        ours, theirs = single["risks"][name], other["risks"][name]
        assert_allclose(theirs["curve"], ours["curve"], rtol=1e-6)
        assert theirs["selected"] == ours["selected"]
        assert_allclose(theirs["target_risk"], ours["target_risk"], rtol=1e-8)
        assert "refit" in ours
        assert "refit" not in theirs
    assert other["grid"]["parameter"] == "alpha"


def test_exact_a_learner_as_it_is_has_no_grid() -> None:
    fixed = run_kind(with_(grid=None, learner={"name": "ridge", "params": {"penalty": 1.0}})).result
    along = run_kind(BODY).result

    assert fixed["grid"] is None
    assert fixed["risks"]["weighted"]["selected"] is None
    assert_allclose(
        fixed["risks"]["weighted"]["curve"], along["risks"]["weighted"]["curve"][1:2], rtol=1e-12
    )
    assert fixed["cautions"] == []


def test_exact_a_pipeline_and_a_learner_with_another_loss() -> None:
    standard = {"name": "ridge", "prepare": [{"name": "standardise"}]}
    result = run_kind(with_(learner=standard)).result
    bayes = {"name": "gaussian_naive_bayes"}
    grid = {"variance_smoothing": {"from": 1e-9, "to": 1.0, "count": 3}}
    other = run_kind(with_(learner=bayes, grid=grid, loss="zero_one")).result

    assert len(result["risks"]["weighted"]["curve"]) == 4
    assert (
        result["risks"]["weighted"]["curve"] != run_kind(BODY).result["risks"]["weighted"]["curve"]
    )
    assert set(np.unique(other["oracle"]["curve"]) * 40 % 1) == {0.0}


def test_exact_a_regression() -> None:
    y, u = X @ [1.0, 2.0], Z @ [1.0, 2.0]
    source = {**BODY["source"], "y": y.tolist()}
    target = {"X": Z.tolist(), "y": u.tolist()}
    result = run_kind(with_(source=source, target=target, task="regression")).result

    assert result["risks"]["weighted"]["selected"] == 0.01
    assert result["oracle"]["selected"] == 0.01
    assert result["risks"]["weighted"]["target_risk"] < 1e-4
    assert codes(result["risks"]["weighted"]["cautions"]) == ["selected_at_the_edge"]


def test_exact_several_learners_under_each_risk() -> None:
    body = {key: value for key, value in BODY.items() if key != "grid"} | {
        "learners": {
            "ridge": {"name": "ridge"},
            "fixed": {"name": "ridge", "params": {"penalty": 5.0}},
            "steep": {"name": "least_squares", "params": {"intercept": False}},
        },
        "grids": {"ridge": {"penalty": PENALTIES}},
    }
    result = run_kind(body).result
    alone = run_kind(BODY).result

    assert list(result["learners"]) == ["ridge", "fixed", "steep"]
    assert result["learners"]["ridge"]["risks"] == alone["risks"]
    assert result["learners"]["ridge"]["oracle"] == alone["oracle"]
    for name in ("weighted", "controlled"):
        estimates = {
            key: learner["risks"][name]["estimate"] for key, learner in result["learners"].items()
        }
        best = result["risks"][name]
        assert best["selected_learner"] == min(estimates, key=lambda key: estimates[key])
        assert best["estimate"] == min(estimates.values())
        for pair in result["comparisons"]:
            risk = pair["risks"][name]
            a, b = estimates[pair["a"]], estimates[pair["b"]]
            assert_allclose(risk["difference"], a - b, rtol=1e-7, atol=1e-12)
            half = 1.959963984540054 * risk["standard_error"]
            assert_allclose(risk["interval"]["upper"], risk["difference"] + half, rtol=1e-12)
            on_target = [
                result["learners"][pair[key]]["risks"][name]["target_risk"] for key in ("a", "b")
            ]
            assert_allclose(
                risk["target_risk"]["difference"], on_target[0] - on_target[1], atol=1e-12
            )
    assert result["oracle"]["target_risk"] == min(
        learner["oracle"]["target_risk"] for learner in result["learners"].values()
    )
    assert [(pair["a"], pair["b"]) for pair in result["comparisons"]] == [
        *(("ridge", "fixed"), ("ridge", "steep"), ("fixed", "steep")),
    ]


@pytest.mark.parametrize(
    "learner",
    [
        None,
        {"name": "gaussian_naive_bayes"},
        {"name": "LogisticRegression"},
    ],
)
def test_exact_pieces_give_the_same_bytes(monkeypatch: Any, learner: Any) -> None:
    grid = {
        "gaussian_naive_bayes": {"variance_smoothing": [1e-9, 1e-3, 1.0]},
        "LogisticRegression": {"C": [0.1, 1.0, 10.0]},
    }.get(learner["name"] if learner else "")
    body = with_(learner=learner, grid=grid or BODY["grid"], loss="zero_one", seed=3)
    monkeypatch.setattr(importance_weighting, "SMALL", 10**12)
    whole = run_kind(body)
    monkeypatch.setattr(importance_weighting, "SMALL", 0)
    cut = run_kind(body, job=1)
    monkeypatch.setattr(importance_weighting, "MOST_CHUNKS", 1)
    few = run_kind(body, job=2)

    assert encode_json(whole.result) == encode_json(cut.result) == encode_json(few.result)
    assert whole.losses is not None
    assert whole.losses.equals(cut.losses)


def test_exact_several_learners_without_labels_on_the_target() -> None:
    body = {**BODY, "target": {"X": Z.tolist()}, "learners": {"a": "ridge", "b": "ridge"}}
    result = run_kind(body).result

    assert result["oracle"] is None
    assert "target_risk" not in result["risks"]["weighted"]
    assert "target_risk" not in result["comparisons"][0]["risks"]["weighted"]
    assert result["risks"]["weighted"]["selected_learner"] == "a"  # of equal ones the first


def test_exact_a_partial_result_has_the_learners_that_are_done() -> None:
    body = {
        **BODY,
        "learners": {"a": "ridge", "b": {"name": "ridge", "params": {"intercept": True}}},
    }
    kind: Any = JOB_KINDS["importance_weighting"]
    job = Job(SPACE, body["kind"], kind.request.model_validate(body), 7)
    plan = build_plan(job)
    parts = importance_weighting._list_parts(plan)
    outputs = run_chunks(kind, job, [Chunk(asdict(part)) for part in parts if part.learner == "b"])
    partial = as_json(kind.gather(job, outputs))

    assert list(partial["learners"]) == ["b"]
    assert partial["learners"]["b"] == run_kind(body).result["learners"]["b"]
    assert partial["comparisons"] == []


def check(**changes: Any) -> None:
    kind = JOB_KINDS["importance_weighting"]
    kind.check(kind.request.model_validate(with_(**changes)), {})


def test_property_no_refusal_is_written_for_a_learner_that_learns_signs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Looking for similar names took 0.1 s for the 200 values of the default grid."""
    names: list[str] = []

    def remember(name: str, *_: object) -> str:
        names.append(name)
        return ""

    monkeypatch.setattr(building, "suggest_name", remember)
    check(grid=None)
    assert names == []


def test_invalid_more_values_than_can_be_checked_at_once() -> None:
    values = {"penalty": {"from": 1, "to": 10, "count": 1000}}
    check(grid=values, learners={f"r{i}": "ridge" for i in range(5)})
    with pytest.raises(InvalidParameter, match="more than 5000 values together") as refused:
        check(grid=values, learners={f"r{i}": "ridge" for i in range(6)})
    assert refused.value.loc == ("learners", "r5")


def test_invalid_more_trees_than_the_limit() -> None:
    forest = {"name": "RandomForestRegressor", "params": {"n_estimators": 2000}}
    depths = {"max_depth": list(range(1, 401))}
    with pytest.raises(InvalidParameter, match=r"1 h \(THETAHAT_MAX_WORK_S\)") as refused:
        check(learner=forest, grid=depths)
    assert refused.value.loc == ("learners",)
    check(learner=forest, grid={"max_depth": [1, 2]})
