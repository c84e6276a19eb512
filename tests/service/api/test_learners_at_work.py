"""What a client sees of an evaluation whose learners are not all done yet."""

from __future__ import annotations

import subprocess
from typing import Any
from uuid import UUID

import numpy as np
import orjson
import pytest
from starlette.testclient import TestClient

from tests.service.jobs.evaluations import make_executor
from thetahat_service.jobs import computed_texts, partial, record
from thetahat_service.storage import unit_parts
from thetahat_service.storage.unit_of_work import reading
from thetahat_worker.executor import UnitExecutor

RNG = np.random.default_rng(20_261_122)
X = RNG.normal(size=(30, 2))
BODY: dict[str, Any] = {
    "kind": "cross_validation",
    "data": {"X": X.tolist(), "y": np.where(X[:, 0] > 0, "yes", "no").tolist()},
    "task": "classification",
    "learners": {
        "nb": "gaussian_naive_bayes",
        "tree": {"name": "DecisionTreeClassifier", "params": {"max_depth": 2}},
        "signed": "MultinomialNB",  # fails: there are values below 0
        "forest": {"name": "RandomForestClassifier", "params": {"n_estimators": 2}},
    },
    "scheme": {"name": "k_fold", "params": {"n_folds": 3}},
    "control": "forest",
    "include": "all",  # as a partial result is computed by another process
    "tests": ["nadeau_bengio_t", "friedman"],
    "seed": 3,
}
FOREST = 4  # the last of the learners: it is waited for


@pytest.fixture
def begun(client: TestClient) -> tuple[str, UUID, UnitExecutor]:
    """An evaluation that is cut, and one who will do its parts."""
    answer = client.post("/v1/evaluations", json=BODY)
    there, worker = answer.headers["location"], make_executor()
    evaluation_id = UUID(answer.json()["id"])
    worker.run((evaluation_id, 0))
    return there, evaluation_id, worker


def _do(evaluation_id: UUID, worker: UnitExecutor, *learners: str) -> None:
    with reading() as connection:
        chunks = unit_parts.list_chunks(connection, evaluation_id)
    for chunk in chunks:
        if chunk.part in learners:
            worker.run((evaluation_id, chunk.number))


def test_exact_each_learner_has_a_progress(
    client: TestClient, begun: tuple[str, UUID, UnitExecutor]
) -> None:
    there, evaluation_id, worker = begun
    before = client.get(there).json()
    _do(evaluation_id, worker, "nb", "signed")
    after = client.get(there).json()
    listed = client.get("/v1/evaluations").json()["items"][0]

    assert before["learners"] == {
        name: {"done": 0, "total": 3, "status": "queued"} for name in BODY["learners"]
    }
    assert before["seconds_left"] is after["seconds_left"] is None
    assert after["learners"] == listed["learners"]
    assert after["learners"] == {
        **before["learners"],
        "nb": {"done": 3, "total": 3, "status": "done"},
        "signed": {"done": 3, "total": 3, "status": "failed"},
    }
    assert after["progress"] == {"done": 6, "total": 12, "unit": "splits"}
    _do(evaluation_id, worker, "tree")
    record_one = (evaluation_id, _first_of(evaluation_id, "forest"))
    worker.run(record_one)
    left = client.get(there).json()["seconds_left"]
    assert left is not None
    assert 0 <= left < 60
    worker.compute_queued_units((evaluation_id, 1))
    ended = client.get(there).json()
    assert (ended["status"], ended["learners"], ended["seconds_left"]) == ("succeeded", {}, None)


def _first_of(evaluation_id: UUID, learner: str) -> int:
    with reading() as connection:
        chunks = unit_parts.list_chunks(connection, evaluation_id)
    return next(c.number for c in chunks if c.part == learner)


def test_exact_the_newest_event_tells_of_the_learners(
    client: TestClient, begun: tuple[str, UUID, UnitExecutor], monkeypatch: pytest.MonkeyPatch
) -> None:
    from thetahat_service.api.routes import events

    there, evaluation_id, worker = begun
    _do(evaluation_id, worker, "nb")

    async def end(*_: Any) -> bool:
        worker.compute_queued_units((evaluation_id, 1))
        return True

    monkeypatch.setattr(events, "wait_for_change", end)
    text = client.get(f"{there}/events").text
    data = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    payloads = [orjson.loads(line) for line in data]
    with_learners = [event for event in payloads if "learners" in event]
    assert with_learners[0]["learners"]["nb"] == {"done": 3, "total": 3, "status": "done"}
    assert with_learners[0]["seconds_left"] is None
    assert [event for event in payloads if event.get("done") == 12]


def test_exact_the_complete_learners_are_evaluated_before_the_last_is_done(
    client: TestClient, begun: tuple[str, UUID, UnitExecutor]
) -> None:
    there, evaluation_id, worker = begun
    early = client.get(f"{there}/result?partial=true")
    assert (early.status_code, early.json()["code"]) == (409, "result_not_ready")
    assert "No learner" in early.json()["detail"]
    assert early.headers["retry-after"] == "2"

    _do(evaluation_id, worker, "nb", "tree", "signed")
    whole = client.get(f"{there}/result")
    assert (whole.status_code, whole.json()["code"]) == (409, "result_not_ready")
    answer = client.get(f"{there}/result?partial=true")
    early_result = answer.json()
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert early_result["partial"] == {
        "complete": ["nb", "tree"],
        "failed": ["signed"],
        "to_come": ["forest"],
    }
    assert list(early_result["models"]) == ["nb", "tree"]
    assert list(early_result["failures"]) == ["signed"]
    assert {key.partition(":")[0] for key in early_result["cautions"]} >= {
        "control_left_out",
        "learner_left_out",
    }
    assert {"name": "friedman", "family": "tests"} in [
        {"name": entry["name"], "family": entry.get("family")}
        for entry in early_result["not_applicable"]
    ]
    assert early_result["provenance"]["seed"] == 3

    worker.compute_queued_units((evaluation_id, FOREST))
    ended = client.get(f"{there}/result?partial=true").json()
    assert ended == client.get(f"{there}/result").json()
    assert "partial" not in ended
    # What was said of a learner alone stands to the last bit.
    for name in ("nb", "tree"):
        assert early_result["models"][name] == ended["models"][name]


def test_exact_learners_that_are_run_together_are_complete_one_by_one(client: TestClient) -> None:
    near = {f"k{k}": {"name": "nearest_neighbours", "params": {"k": k}} for k in (1, 3, 27)}
    learners = {"forest": BODY["learners"]["forest"], **near}
    answer = client.post("/v1/evaluations", json={**BODY, "learners": learners})
    there, worker = answer.headers["location"], make_executor()
    evaluation_id = UUID(answer.json()["id"])
    worker.run((evaluation_id, 0))
    _do(evaluation_id, worker, "k1 and 2 more")

    document = client.get(there).json()
    assert document["learners"] == {
        "forest": {"done": 0, "total": 3, "status": "queued"},
        "k1 and 2 more": {"done": 9, "total": 9, "status": "done"},
    }
    assert document["progress"] == {"done": 9, "total": 12, "unit": "splits"}
    early_result = client.get(f"{there}/result?partial=true").json()
    assert early_result["partial"] == {
        "complete": ["k1", "k3"],
        "failed": ["k27"],
        "to_come": ["forest"],
    }
    assert (list(early_result["models"]), list(early_result["failures"])) == (
        ["k1", "k3"],
        ["k27"],
    )


def test_degenerate_what_cannot_be_made_in_time_is_not_ready(
    client: TestClient, begun: tuple[str, UUID, UnitExecutor], monkeypatch: pytest.MonkeyPatch
) -> None:
    there, evaluation_id, worker = begun
    _do(evaluation_id, worker, "nb")
    monkeypatch.setattr(computed_texts, "TIME_LIMIT_S", 0.01)
    late = client.get(f"{there}/result?partial=true")
    assert (late.status_code, late.json()["code"]) == (409, "result_not_ready")
    assert "take longer than 0.01 seconds" in late.json()["detail"]

    def crash(*_: Any, **__: Any) -> subprocess.CompletedProcess[bytes]:
        return subprocess.CompletedProcess([], 1, b"", b"a secret of the code")

    monkeypatch.setattr(subprocess, "run", crash)
    crashed = client.get(f"{there}/result?partial=true")
    assert (crashed.status_code, crashed.json()["code"]) == (409, "result_not_ready")
    assert "secret" not in crashed.text

    monkeypatch.setattr(partial._RESULTS, "timeout_s", 0.01)
    with partial._RESULTS._lock:
        busy = client.get(f"{there}/result?partial=true")
    assert "Another partial result" in busy.json()["detail"]

    def end(*_: Any, **__: Any) -> subprocess.CompletedProcess[bytes]:
        worker.compute_queued_units((evaluation_id, 1))
        return crash()

    monkeypatch.setattr(subprocess, "run", end)
    ended = client.get(f"{there}/result?partial=true")
    assert list(ended.json()["models"]) == ["nb", "tree", "forest"]


def test_invalid_a_cancelled_evaluation_has_no_partial_result(
    client: TestClient, begun: tuple[str, UUID, UnitExecutor]
) -> None:
    there, evaluation_id, worker = begun
    _do(evaluation_id, worker, "nb")
    client.post(f"{there}/cancel")
    answer = client.get(f"{there}/result?partial=true")
    assert (answer.status_code, answer.json()["code"]) == (409, "no_result")
    assert record.claim_unit((evaluation_id, FOREST), evaluation_id, 1.0) is None
