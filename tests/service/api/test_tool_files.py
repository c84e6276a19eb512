"""Result files of evaluation tools over HTTP, from the upload to the verdict."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.test_datasets import send
from tests.service.data.test_evaluation_tools import FILES, JSON, JSONL, change_helm

TOOLS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "promptfoo": ("promptfoo-{}.json", JSON, {"score": "pass"}),
    "DeepEval": ("deepeval-{}.json", JSON, {"score": "Right Answer"}),
    "every_eval_ever": (
        "every-{}_samples.jsonl",
        JSONL,
        {"score": "score", "filter": "exact_match/none"},
    ),
}


@pytest.mark.parametrize("tool", TOOLS)
def test_by_hand_two_files_of_a_tool(client: TestClient, worker: InlineWorker, tool: str) -> None:
    name, media_type, logs = TOOLS[tool]
    sent = [
        send(client, (FILES / name.format(model)).read_bytes(), media_type)
        for model in ("old", "new")
    ]
    files = [
        {"dataset": each.json()["id"], "model": model}
        for each, model in zip(sent, ("old", "new"), strict=True)
    ]
    body = {"kind": "losses", "better": "higher", "logs": {"files": files, **logs}}

    submitted = client.post("/v1/evaluations", json={**body, "missing": "leave_out"})
    worker.work()
    result = client.get(f"{submitted.headers['location']}/result").json()

    assert [response.status_code for response in sent] == [201, 201]
    assert sent[0].json()["understood"]["tool"] == tool
    means = {name: model["mean"]["pooled"] for name, model in result["models"].items()}
    assert means == pytest.approx({"old": 5 / 7, "new": 6 / 7}, rel=1e-14)


def test_by_hand_two_runs_of_helm(client: TestClient, worker: InlineWorker) -> None:
    sent = [send(client, json.dumps(change_helm(n)).encode(), JSON) for n in (3, 6)]
    files = [
        {"dataset": each.json()["id"], "model": model}
        for each, model in zip(sent, ("old", "new"), strict=True)
    ]
    logs = {"score": "exact_match", "files": files}

    submitted = client.post("/v1/evaluations", json={"kind": "losses", "logs": logs})
    worker.work()
    result = client.get(f"{submitted.headers['location']}/result").json()

    assert sent[0].json()["understood"]["tool"] == "HELM"
    means = {name: model["mean"]["pooled"] for name, model in result["models"].items()}
    assert means == {"old": 3 / 8, "new": 6 / 8}


def test_exact_the_ending_of_a_form_s_file_names_its_format(client: TestClient) -> None:
    content = (FILES / "deepeval-old.json").read_bytes()

    for content_type in ("application/json", "application/octet-stream"):
        sent = client.post("/v1/datasets", files={"file": ("r.json", content, content_type)})
        assert sent.status_code in {200, 201}
        assert sent.json()["understood"]["tool"] == "DeepEval"


def test_invalid_one_name_for_several_models(client: TestClient) -> None:
    sent = send(client, (FILES / "promptfoo-two.jsonl").read_bytes(), JSONL).json()
    logs = {"score": "pass", "files": [{"dataset": sent["id"], "model": "one"}]}

    submitted = client.post(
        "/v1/evaluations", json={"kind": "losses", "better": "higher", "logs": logs}
    )

    assert submitted.status_code == 422
    assert "2 models (old assistant, plain, old assistant, short)" in submitted.text


def test_invalid_json_that_no_tool_writes(client: TestClient) -> None:
    refused = send(client, b'{"kind": "losses"}', JSON)

    assert refused.status_code == 422
    assert "no result file of inspect_ai, DeepEval" in refused.text
