"""Parts of a result that its request did not include, asked for later."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from thetahat_presentation.expansion import expand_result
from thetahat_service.jobs import result_parts

RNG = np.random.default_rng(5)
LOSSES = {name: RNG.normal(size=(6, 7)).tolist() for name in "abc"}
Y = RNG.normal(size=24).round(3).tolist()
REQUESTS: dict[str, dict[str, Any]] = {
    "sources": {"kind": "losses", "blocks": "source", "losses": LOSSES, "margin": 0.1},
    "fixed": {"kind": "losses", "blocks": "source", "losses": LOSSES, "n_train": 0},
    "long": {
        "kind": "losses",
        "blocks": "random",
        "losses": {"a": Y * 2, "block": Y[::-1] * 2},
        "block": [f"b{i % 4}" for i in range(24)] + [f"b{i // 6}" for i in range(24)],
        "repeat": [0] * 24 + [1] * 24,
        "instance": list(range(24)) * 2,
        "cluster": [i // 2 for i in range(24)] * 2,
        "n_train": 18,
        "better": "higher",
        "unit": "week",
    },
    "groups": {
        "kind": "losses",
        "blocks": "holdout",
        "losses": {"a": Y, "b": Y[::-1]},
        "margin": 0.5,
        "groups": {"g": ["x", "y", None] * 8},
        "gate": {"model": "a", "against": "b", "require": "no_group_worse"},
    },
    "groups_of_predictions": {
        "kind": "predictions",
        "blocks": "holdout",
        "y": [0, 1] * 30,
        "predictions": {"a": [0, 1, 1] * 20, "b": [1, 1, 0, 0] * 15},
        "loss": "zero_one",
        "metrics": ["recall", "f1"],
        "groups": {"g": ["x", "y", None, "x", "z"] * 12},
    },
    "groups_of_learners": {
        "kind": "cross_validation",
        "task": "regression",
        "data": {
            "X": [[x, x * x] for x in Y],
            "y": [2 * x + 0.1 for x in Y],
            "groups": {"g": ["x", "y", None, "x"] * 6},
        },
        "learners": {"ridge": "ridge", "mean": "mean"},
        "scheme": {"name": "repeated_k_fold", "params": {"n_folds": 4, "n_repeats": 2}},
        "loss": "squared",
    },
    "costs": {
        "kind": "losses",
        "blocks": "holdout",
        "losses": {"a": Y, "b": Y[::-1]},
        "margin": 0.5,
        "cost": {"a": list(range(1, len(Y) + 1)), "b": [2.0, 7.0] * (len(Y) // 2)},
        "gate": {"model": "a", "against": "b", "cheaper_by": 0.1},
    },
    "predictions": {
        "kind": "predictions",
        "blocks": "holdout",
        "y": [0, 1] * 12,
        "predictions": {"a": [0, 1, 1] * 8, "b": [1, 1, 0, 0] * 6},
        "loss": "zero_one",
        "clip": True,
    },
    "cross_validation": {
        "kind": "cross_validation",
        "task": "regression",
        "data": {"X": [[x, x * x] for x in Y], "y": [2 * x + 0.1 for x in Y]},
        "learners": {"ridge": "ridge", "mean": "mean"},
        "scheme": {"name": "repeated_k_fold", "params": {"n_folds": 4, "n_repeats": 2}},
        "loss": "squared",
    },
}


def run(client: TestClient, worker: InlineWorker, request: dict[str, Any]) -> str:
    answer = client.post("/v1/evaluations", json=request)
    worker.work()
    return str(answer.headers["location"])


def sort_lists(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result without what the two ways to ask for it must not share."""
    result = dict(expand_result(result))
    provenance = dict(result.pop("provenance"))
    methods = sorted(provenance.pop("methods"), key=repr)
    del provenance["spec_sha256"]
    for name in ("include", "not_applicable"):
        result[name] = sorted(result[name], key=repr)
    return {**result, "provenance": provenance, "methods": methods}


@pytest.fixture
def computed_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute parts in this process: starting one of their own takes longer than a test."""

    def compute(evaluation_id: UUID, *parts: str) -> str:
        return result_parts.compute_result(evaluation_id, parts)

    monkeypatch.setattr(result_parts._RESULTS, "_compute", compute)


@pytest.mark.usefixtures("small_by_default")
@pytest.mark.parametrize(
    ("name", "include"),
    [
        *((name, "all") for name in REQUESTS),
        *((name, "tests,covariance") for name in ("sources", "long", "cross_validation")),
    ],
)
def test_exact_parts_that_are_asked_for_later_are_those_of_the_request(
    client: TestClient,
    worker: InlineWorker,
    name: str,
    include: str,
    request: pytest.FixtureRequest,
) -> None:
    """They are computed by a process for one request, and here for the others."""
    if name != "groups":
        request.getfixturevalue("computed_here")
    small = run(client, worker, REQUESTS[name])
    named: Any = include if include == "all" else include.split(",")
    whole = run(client, worker, {**REQUESTS[name], "include": named})

    later = client.get(f"{small}/result", params={"include": include})

    assert later.status_code == 200, later.text
    assert "tests" not in client.get(f"{small}/result").json()["comparisons"][0]
    assert sort_lists(later.json()) == sort_lists(client.get(f"{whole}/result").json())
    assert client.get(f"{whole}/request").json()["include"] == named


@pytest.mark.usefixtures("small_by_default")
def test_invalid_parts_whose_losses_were_removed(
    client: TestClient, worker: InlineWorker, data_dir: Path
) -> None:
    there = run(client, worker, REQUESTS["sources"])
    for file in data_dir.rglob("*.parquet"):
        file.unlink()

    answer = client.get(f"{there}/result?include=tests")

    assert (answer.status_code, answer.json()["code"]) == (409, "parts_not_kept")
    assert "removed" in answer.json()["detail"]
    assert client.get(f"{there}/result").status_code == 200


@pytest.mark.usefixtures("small_by_default")
def test_invalid_parts_of_results_that_rest_on_the_grades_of_a_judge(
    client: TestClient, worker: InlineWorker
) -> None:
    grades = [0, 1, 1, 0, 1, 0, 1, 1] * 10
    labels = [*grades[:39], 1 - grades[39], *[None] * 40]
    request = {
        "kind": "losses",
        "blocks": "holdout",
        "losses": {"new": labels, "old": labels[::-1][40:] + [None] * 40},
        "judge": {"losses": {"new": grades, "old": grades[::-1]}},
    }
    there = run(client, worker, request)
    assert client.get(f"{there}/result").json()["models"]["new"]["judge"]["unlabelled"] == 40

    for path in ("result?include=variances", "notebook.ipynb"):
        answer = client.get(f"{there}/{path}")
        assert (answer.status_code, answer.json()["code"]) == (409, "parts_not_kept"), path
        assert "grades of a judge" in answer.json()["detail"]
    assert client.get(f"{there}/bundle.zip").status_code == 200  # the request has the grades
    page = client.get(there.removeprefix("/v1"), headers={"Accept": "text/html"}).text
    assert f'{there}/bundle.zip"' in page
    assert "notebook.ipynb" not in page


@pytest.mark.usefixtures("small_by_default", "computed_here")
def test_exact_parts_of_losses_beside_metrics_and_unknown_parts(
    client: TestClient, worker: InlineWorker
) -> None:
    request = {**REQUESTS["cross_validation"], "metrics": ["r2"]}
    there = run(client, worker, request)

    later = client.get(f"{there}/result?include=variances").json()
    whole = client.get(f"{there}/result?include=all").json()
    refused = client.get(f"{there}/result?include=score_curves")
    unknown = client.get(f"{there}/result?include=test")

    assert (refused.status_code, refused.json()["code"]) == (409, "parts_not_kept")
    assert 'again with "include": ["score_curves"]' in refused.json()["detail"]
    for found in (later, whole):
        texts = [each["message"] for each in expand_result(found)["cautions"]]
        assert sum("Those of metrics need predictions" in text for text in texts) == 1
        for model in found["models"].values():
            assert model["variances"]
            assert "variances" not in model["metrics"]["r2"]
    assert client.get(f"{there}/result?include=tests").status_code == 200
    assert unknown.status_code == 422
    assert "did you mean 'tests'" in unknown.text
