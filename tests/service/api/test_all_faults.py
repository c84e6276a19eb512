"""A refusal names all faults of a request that can be seen without each other."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from tests.cases import case
from tests.service.api.requests import matrix
from thetahat.analyses.cross_validation.entry_points import DEFAULT_SCHEME
from thetahat_service.kinds.fields.learners import LearnersRequest

ROWS = {
    "X": [[float(i), float(i * i % 7)] for i in range(20)],
    "y": [float(i % 5) for i in range(20)],
}
TRAINED: dict[str, Any] = {
    "kind": "cross_validation", "task": "regression", "data": ROWS, "seed": 1,
    "learners": {"ridge": "ridge", "mean": "mean"},
}  # fmt: skip


def refuse(client: TestClient, request: dict[str, Any]) -> dict[str, Any]:
    answer = client.post("/v1/evaluations", json=request)
    assert answer.status_code == 422, answer.text
    problem: dict[str, Any] = answer.json()
    return problem


def test_exact_all_faults_at_once(client: TestClient) -> None:
    gate = {"model": "x", "against": "y", "require": "better"}
    cases: list[tuple[dict[str, Any], list[list[str | int]]]] = [
        ({"level": 95, "margin": -1, "power": 2}, [["level"], ["power"], ["margin"]]),
        # a field of another type, and one that is out of its range
        ({"blocks": "kfold", "level": 95, "stauts": 1}, [["blocks"], ["stauts"], ["level"]]),
        # no false fault for the margin that a gate needs and that is there but invalid
        ({"margin": "x", "gate": {**gate, "require": "not_worse"}}, [["margin"]]),
        ({"gate": gate}, [["gate", "model"], ["gate", "against"]]),
        (
            {"intervals": ["student", "normall"], "tests": ["t"], "level": 2},
            [["intervals", 0, "name"], ["intervals", 1, "name"], ["tests", 0, "name"], ["level"]],
        ),
        (
            {"level": 2, "losses": {"nb": [[0, 1], [1, 0]], "svm": [[0, 0, 1], [1, 0]]}},
            [["level"], ["losses", "svm", 0]],
        ),
    ]  # fmt: skip
    for fields, locs in cases:
        with case(fields):
            problem = refuse(client, {**matrix(), **fields})
            assert [error["loc"] for error in problem["errors"]] == locs
            more = f"({len(locs) - 1} more in errors)"
            assert (more in problem["detail"]) is (len(locs) > 1)


def test_exact_all_faults_of_raters_groups_and_probabilities_at_once(client: TestClient) -> None:
    """Other values of one request do not hide each other either."""
    raters = {"a": [1, 0, 1], "b": [1, 1], "c": [0]}
    options = {"truth": "q", "cluster": [1], "level": 3, "n_resamples": 0}
    scores = {"y": [0, 1, 0, 1], "scores": {"m": [0.1, 0.2, 0.3, 0.7]}, "loss": "brier"}
    thresholds = {"thresholds": [1.5, 0.5, -2]}
    judge = {"losses": {"nb": [0, 1, 1]}, "lambda": 5, "half_width": -1}
    flat = {"kind": "losses", "blocks": "holdout", "losses": {"nb": [0, 1, 0]}}
    cases: list[tuple[dict[str, Any], list[list[str | int]]]] = [
        (
            {"kind": "agreement", "ratings": raters, **options},
            [["level"], ["n_resamples"], ["truth"],
             ["ratings", "b"], ["ratings", "c"], ["cluster"]],
        ),
        (
            {**flat, "groups": {"g": ["x"], "h": ["x", "y"]}, "group_by": ["q"]},
            [["groups", "g"], ["groups", "h"], ["group_by", 0]],
        ),
        (
            {"kind": "predictions", "blocks": "holdout", **scores, "margin": -1,
             "probabilities": thresholds, "groups": {"g": ["x"]}},
            [["margin"], ["probabilities", "thresholds", 0], ["probabilities", "thresholds", 2],
             ["groups", "g"]],
        ),
        ({**flat, "judge": judge}, [["judge", "lambda"], ["judge", "half_width"]]),
        ({**flat, "item": [1], "run": [1, 2]}, [["item"], ["run"]]),
        ({**flat, "item": [1, 1, 2], "pass_at": [0, 1, 9]}, [["pass_at", 0], ["pass_at", 2]]),
        (
            {**flat, "cluster": [1], "groups": {"g": ["x"]}, "group_by": ["q"]},
            [["cluster"], ["groups", "g"], ["group_by", 0]],
        ),
        (
            {**flat, "losses": {"nb": [0, 1], "svm": [1], "lda": [0, None]}},
            [["losses", "svm"], ["losses", "lda", 1]],
        ),
        (
            {**flat, "losses": {"nb": [0, 1, None]}, "cluster": [1],
             "judge": {"losses": {"nb": [1]}, "stratum": ["x", "y"]}},
            [["cluster"], ["judge", "stratum"], ["judge", "losses", "nb"]],
        ),
        (
            {"kind": "predictions", "blocks": "holdout", "y": [1.5, 2], "loss": "interval_score",
             "limits": {m: {"lower": [0], "upper": [1, 2]} for m in "ab"}},
            [["limits", "a", "upper"], ["limits", "b", "upper"]],
        ),
        (
            {"kind": "predictions", "blocks": "holdout", "y": ["u", "v"], "loss": "miscoverage",
             "sets": {"a": [["u"]], "b": [["v"]]}},
            [["sets", "a"], ["sets", "b"]],
        ),
        (
            {"kind": "predictions", "block": "holdout", "y": [0, 1], "predictions": {"a": [0]},
             "loss": "zero-one", "metrics": ["recll"]},
            [["block"], ["loss", "name"], ["metrics", 0, "name"]],
        ),
    ]  # fmt: skip
    for request, locs in cases:
        with case(request):
            assert [error["loc"] for error in refuse(client, request)["errors"]] == locs


def test_exact_a_probability_above_1_is_named(client: TestClient) -> None:
    request = {
        "kind": "predictions", "blocks": "holdout", "y": [0, 1, 0], "loss": "brier",
        "scores": {"m": [0.1, 1.3, 0.3]},
    }  # fmt: skip
    (error,) = refuse(client, request)["errors"]

    assert (error["loc"], error["value"]) == (["scores", "m", 1], 1.3)
    assert "is 1.3, and a probability is from 0 to 1" in error["message"]


def test_exact_all_faults_of_learners_at_once(client: TestClient) -> None:
    request = {
        **TRAINED,
        "learners": {"a": {"name": "ridge", "params": {"alpa": 1, "n": 2}}, "b": "rigde"},
        "scheme": "kfold",
        "level": 0,
        "loss": "square",
        "metrics": ["r2x"],
        "data": {**ROWS, "y": [1.0]},
    }
    assert [error["loc"] for error in refuse(client, request)["errors"]] == [
        ["scheme", "name"],
        ["learners", "a", "params", "alpa"],
        ["learners", "a", "params", "n"],
        ["learners", "b", "name"],
        ["loss", "name"],
        ["metrics", 0, "name"],
        ["level"],
        ["data", "y"],
    ]


def test_exact_all_faults_of_candidates_at_once(client: TestClient) -> None:
    names = {"internal": "kfold", "external": "kfld", "loss": "square", "select_by": "r2x"}
    request = {**TRAINED, "kind": "selection", "candidates": {"a": "rigde"}, **names}
    del request["learners"]
    assert [error["loc"] for error in refuse(client, request)["errors"]] == [
        ["candidates", "a", "name"],
        *([name, "name"] for name in ("loss", "select_by", "internal", "external")),
    ]


def test_exact_a_misspelt_task_or_a_wrong_seed_hides_no_other_fault(client: TestClient) -> None:
    wrong = {"learners": {"a": {"name": "ridge", "params": {"alpa": 1}}, "b": "rigde"}}
    others: list[list[str | int]] = [["learners", "a", "params", "alpa"], ["learners", "b", "name"]]
    missing = str(uuid4())
    cases: list[tuple[dict[str, Any], list[list[str | int]]]] = [
        ({**wrong, "task": "regressio"}, [["task"], *others]),
        ({**wrong, "seed": -1}, [["seed"], *others]),
        # the task that is meant is the one that learners and data are checked for
        ({"task": "classificatio", "learners": {"a": "ridge", "b": "majority"}},
         [["task"], ["learners", "a", "name"]]),
        ({"task": "regressio", "data": {**ROWS, "y": [1.0]}}, [["task"], ["data", "y"]]),
        ({"task": "regressio", "data": None, "dataset": missing, "columns": {"target": "y"}},
         [["task"], ["dataset"]]),
        # a task like no other says nothing on the learners
        ({"task": "x", "level": 2, **wrong}, [["task"], ["level"]]),
    ]  # fmt: skip
    for fields, locs in cases:
        with case(fields):
            problem = refuse(client, {**TRAINED, **fields})
            assert [error["loc"] for error in problem["errors"]] == locs


def test_exact_likely_values_are_proposed(client: TestClient) -> None:
    proposals = {
        ("level", 95): "(did you mean 0.95?)",
        ("level", 99.5): "(did you mean 0.995?)",
        ("blocks", "kfold"): "(did you mean 'random'?)",
        ("blocks", "GroupKFold"): "(did you mean 'source'?)",
        ("blocks", "sources"): "(did you mean 'source'?)",
        ("target", "new_sources"): "(did you mean 'new_source'?)",
    }
    for (field, value), proposal in proposals.items():
        with case(field, value):
            assert proposal in refuse(client, {**matrix(), field: value})["detail"]
    for value in (2, 40, -1, 100):
        with case(value):
            assert "did you mean" not in refuse(client, {**matrix(), "level": value})["detail"]


def test_exact_the_scheme_left_out_is_that_of_the_library(client: TestClient) -> None:
    assert LearnersRequest.model_fields["scheme"].default == DEFAULT_SCHEME.info.name
    answer = client.post("/v1/evaluations", json=TRAINED)
    assert answer.status_code == 202, answer.text


@pytest.mark.parametrize(
    ("fields", "loc", "words"),
    [
        (
            {"kind": "losses", "blocks": "holdout", "columns": {"losses": ["a", "b"]}},
            ["columns", "losses", 0, 1],
            "row 1",
        ),
        (
            {
                "kind": "predictions",
                "blocks": "holdout",
                "loss": "zero_one",
                "columns": {"target": "y", "predictions": {"c": "c", "d": "d"}},
            },
            ["columns", "predictions", "c", 1],
            "row 1",
        ),
    ],
)
def test_exact_an_empty_cell_of_a_small_data_set_is_refused_at_submission(
    client: TestClient, fields: dict[str, Any], loc: list[str | int], words: str
) -> None:
    text = "a,b,y,c,d\n.1,.2,yes,yes,no\n,.3,no,,no\n.2,.1,yes,no,yes\n"
    uploaded = client.post("/v1/datasets", content=text, headers={"content-type": "text/csv"})
    problem = refuse(client, {**fields, "dataset": uploaded.json()["id"]})

    assert problem["errors"][0]["loc"] == loc
    assert words in problem["errors"][0]["message"]
