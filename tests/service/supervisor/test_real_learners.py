"""Real learners in real worker processes: what they may take, and how alike they come out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from tests.service.storage.databases import Setting
from tests.service.supervisor.processes import serving
from tests.thetahat.pipelines.packages import LEARNERS, install

pytestmark = [pytest.mark.chaos, pytest.mark.usefixtures("empty_sqlite")]

RNG = np.random.default_rng(20_261_124)
X = RNG.normal(size=(80, 4))
Y = X @ [1.0, -2.0, 0.5, 0.0] + RNG.normal(size=80)
BODY: dict[str, Any] = {
    "kind": "cross_validation",
    "data": {"X": X.tolist(), "y": Y.tolist()},
    "task": "regression",
    "scheme": {"name": "k_fold", "params": {"n_folds": 4}},
    "seed": 11,
}
SIX_SPLITS = {"name": "repeated_k_fold", "params": {"n_folds": 3, "n_repeats": 2}}


def _ended(client: httpx.Client, body: dict[str, Any]) -> dict[str, Any]:
    """Send an evaluation and return it once it has ended."""
    evaluation: dict[str, Any] = client.post("/v1/evaluations", json=body).json()
    for _ in range(120):
        if evaluation["status"] not in {"queued", "running"}:
            break
        evaluation = client.get(f"{evaluation['links']['self']}?wait=5").json()
    return evaluation


def test_exact_what_learners_do_to_their_worker_is_their_own_loss(
    tmp_path: Path, setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One takes memory, two never end, one raises, one takes its process along."""
    (folder := tmp_path / "packages").mkdir()
    install(folder)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), os.environ["PYTHONPATH"]]))
    setting(
        learner_packages="extra-learners",
        memory_limit_mb=512,
        time_limit_s=10,
        max_attempts=2,
        lease_s=30,
        sweep_s=0.2,
    )
    learners = {"ridge": "ridge", **{name: name for name in LEARNERS}}
    with serving(tmp_path / "data", tmp_path / "log") as serve:
        url = serve.wait_for(r"answers at (http://\S+)")[1]
        with httpx.Client(base_url=url, timeout=60) as client:
            listed = client.get("/v1/methods/learners").json()["items"]
            evaluation = _ended(client, {**BODY, "learners": learners})
            result = client.get(evaluation["links"]["result"]).json()
            losses = client.get(evaluation["links"]["losses"], headers={"Accept": "text/csv"}).text
            again = _ended(client, {**BODY, "learners": {"ridge": "ridge", "mean": "mean"}})

    assert evaluation["error"] is None
    codes = {name: failure["code"] for name, failure in result["failures"].items()}
    assert codes == {
        "hungry": "memory_limit_exceeded",
        "endless": "time_limit_exceeded",
        "deaf": "time_limit_exceeded",
        "sulky": "learner_failed",
        "fatal": "worker_lost",
    }
    assert "512 MiB" in result["failures"]["hungry"]["message"]
    assert "not today" in result["failures"]["sulky"]["message"]
    assert list(result["models"]) == ["ridge", "constant", "threads"]
    # Each learner says what it had: 100 for each process that joblib would start, and its threads.
    header, *rows = losses.replace('"', "").splitlines()
    at = header.split(",").index("prediction:threads")
    assert {float(row.split(",")[at]) for row in rows} == {101.0}
    assert again["status"] == "succeeded"  # the workers live on, or others have come for them
    (constant,) = (caution for caution in listed if caution["name"] == "constant")
    assert (constant["package"], constant["version"]) == ("extra-learners", "1.2")
    used = {
        caution["as"]: caution for caution in result["provenance"]["methods"] if "as" in caution
    }
    assert (used["constant"]["package"], used["constant"]["version"]) == ("extra-learners", "1.2")


@pytest.mark.usefixtures("only_learners_loaded_ahead")
def test_exact_one_and_four_workers_give_the_same_bytes(tmp_path: Path, setting: Setting) -> None:
    learners = {
        "ridge": {"name": "ridge", "prepare": ["standardise"]},
        **{f"r{p}": {"name": "ridge", "params": {"penalty": p}} for p in (1, 10, 100)},
        "forest": {"name": "RandomForestRegressor", "params": {"n_estimators": 4}},
        "mlp": {"name": "MLPRegressor", "params": {"max_iter": 5}},
        "signed": "GammaRegressor",  # fails: there are values below 0
    }
    body = {**BODY, "learners": learners, "scheme": SIX_SPLITS}
    messages = []
    for workers in (1, 4):
        setting(data_dir=tmp_path / str(workers))
        with serving(tmp_path / str(workers), tmp_path / "log", workers) as serve:
            url = serve.wait_for(rf"answers at (http://\S+) \(data in \S+/{workers},")[1]
            with httpx.Client(base_url=url, timeout=60) as client:
                links = _ended(client, body)["links"]
                accept = {"Accept": "text/csv"}
                losses = client.get(links["losses"], headers=accept).content
                messages.append((client.get(links["result"]).content, losses))
    assert messages[0] == messages[1]
    assert b"not_converged" in messages[0][0]
    assert b'"failures":{"signed":' in messages[0][0]
    assert len(messages[0][1].splitlines()) == 1 + 2 * 80
