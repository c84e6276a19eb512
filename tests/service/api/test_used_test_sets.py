"""How often a test set was used: counted once for each request, for its owner, and shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.test_owners import bearer
from thetahat.cautions import TEST_SET_USED_OFTEN
from thetahat_service.api import submission
from thetahat_service.recomputation.verification import VerificationOutcome, verify_bundle

N = 40
Y = [i % 2 for i in range(N)]


def predict(seed: int) -> list[int]:
    return [value ^ (i * 7 + seed * 5) % 11 // 9 for i, value in enumerate(Y)]


def build_csv(*seeds: int) -> str:
    names = ",".join(f"m{seed}" for seed in seeds)
    rows = [",".join(map(str, row)) for row in zip(Y, *map(predict, seeds), strict=True)]
    return f"y,{names}\n" + "\n".join(rows) + "\n"


def upload(client: TestClient, text: str, key: str | None = None) -> str:
    headers = {"Content-Type": "text/csv", **(bearer(key) if key else {})}
    identifier: str = client.post("/v1/datasets", content=text, headers=headers).json()["id"]
    return identifier


def ask(dataset: str, *seeds: int, **fields: Any) -> dict[str, Any]:
    columns = {"target": "y", "predictions": {f"m{seed}": f"m{seed}" for seed in seeds}}
    body = {"kind": "predictions", "dataset": dataset, "columns": columns, "blocks": "holdout"}
    return {**body, "loss": "zero_one", **fields}


def evaluate(
    client: TestClient, worker: InlineWorker, body: dict[str, Any], key: str | None = None
) -> Any:
    headers = bearer(key) if key else {}
    answer = client.post("/v1/evaluations", json=body, headers=headers)
    assert answer.status_code == 202, answer.text
    worker.work()
    path = answer.json()["links"]["self"]
    return client.get(f"{path}/result", headers=headers).json()


def read_uses(client: TestClient, dataset: str, key: str | None = None) -> Any:
    headers = bearer(key) if key else {}
    return client.get(f"/v1/datasets/{dataset}", headers=headers).json()["uses"]


def test_exact_identical_requests_are_one_use(client: TestClient, worker: InlineWorker) -> None:
    dataset = upload(client, build_csv(1, 2, 3))
    unused = read_uses(client, dataset)
    first = evaluate(client, worker, ask(dataset, 1, 2))
    once = read_uses(client, dataset)
    same = [
        evaluate(client, worker, ask(dataset, 1, 2, **fields))
        for fields in ({}, {"name": "again", "labels": {"a": "b"}}, {"include": ["tests"]})
    ]
    other = evaluate(client, worker, ask(dataset, 1, 3))
    seed = evaluate(client, worker, ask(dataset, 1, 3, seed=5))
    uses = read_uses(client, dataset)

    assert unused == {"evaluations": 0, "models": 0, "first_at": None, "last_at": None}
    assert (once["evaluations"], once["models"]) == (1, 2)
    assert once["first_at"] == once["last_at"]
    assert first["provenance"]["test_set"] == {"comparisons": 1, "known_by": "content"}
    assert [each["provenance"]["test_set"]["comparisons"] for each in same] == [1, 1, 1]
    assert same[0] == first
    assert other["provenance"]["test_set"]["comparisons"] == 2
    assert seed["provenance"]["test_set"]["comparisons"] == 3
    assert (uses["evaluations"], uses["models"]) == (3, 3)
    assert uses["first_at"] == once["first_at"] < uses["last_at"]
    assert client.get("/v1/datasets").json()["items"][0]["uses"] == uses


def test_exact_a_failed_evaluation_is_no_use(
    client: TestClient, worker: InlineWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submission, "MOST_ROWS_READ", 0)  # so that the worker finds the fault
    dataset = upload(client, "y,m1,m2\n" + "0,a,b\n" * 3)
    columns = {"target": "y", "predictions": {"m1": "m1", "m2": "m2"}}
    body = {**ask(dataset), "columns": columns, "loss": "squared"}
    answer = client.post("/v1/evaluations", json=body)
    worker.work()

    assert client.get(answer.headers["location"]).json()["status"] == "failed"
    assert read_uses(client, dataset)["evaluations"] == 0


def test_exact_another_owner_has_other_counts(
    client: TestClient, worker: InlineWorker, keys: dict[str, str]
) -> None:
    datasets = {owner: upload(client, build_csv(1, 2, 3), key) for owner, key in keys.items()}
    for seeds in ((1, 2), (1, 3), (2, 3)):
        evaluate(client, worker, ask(datasets["ann"], *seeds), keys["ann"])
    of_bob = evaluate(client, worker, ask(datasets["bob"], 1, 2), keys["bob"])

    assert of_bob["provenance"]["test_set"]["comparisons"] == 1
    assert read_uses(client, datasets["bob"], keys["bob"])["evaluations"] == 1
    assert read_uses(client, datasets["ann"], keys["ann"])["evaluations"] == 3


def test_exact_true_values_are_recognised_in_another_file_and_in_a_request(
    client: TestClient, worker: InlineWorker
) -> None:
    """A file for each commit has another content and the same true values."""
    files = [upload(client, build_csv(0, seed)) for seed in (1, 2)]
    found = [
        evaluate(client, worker, ask(d, 0, seed)) for d, seed in zip(files, (1, 2), strict=True)
    ]
    inline = {
        "kind": "predictions",
        "y": Y,
        "blocks": "holdout",
        "predictions": {"a": predict(1), "b": predict(3)},
        "loss": "zero_one",
    }
    sent = evaluate(client, worker, inline)
    other = evaluate(client, worker, {**inline, "y": Y[::-1]})

    uses = [each["provenance"]["test_set"] for each in (*found, sent, other)]
    assert uses == [
        {"comparisons": 1, "known_by": "content"},
        {"comparisons": 2, "known_by": "targets"},
        {"comparisons": 3, "known_by": "targets"},
        {"comparisons": 1, "known_by": "targets"},
    ]
    assert [read_uses(client, each)["evaluations"] for each in files] == [1, 1]


def test_exact_losses_have_a_test_set_only_if_their_instances_have_names(
    client: TestClient, worker: InlineWorker
) -> None:
    def send(seed: int, names: list[Any] | None) -> Any:
        losses = {"a": predict(seed), "b": predict(seed + 1)}
        body: dict[str, Any] = {"kind": "losses", "blocks": "holdout", "losses": losses}
        if names is not None:
            body["instance"] = names
        return evaluate(client, worker, body)["provenance"].get("test_set")

    names = [f"case {i * 3}" for i in range(N)]

    assert send(1, None) is None
    assert send(2, None) is None
    assert send(3, list(range(N))) is None
    assert send(4, list(range(1, N + 1))) is None
    assert send(5, names) == {"comparisons": 1, "known_by": "instances"}
    assert send(6, names[::-1]) == {"comparisons": 2, "known_by": "instances"}


def test_exact_data_in_a_request_are_a_test_set_of_cross_validation(
    client: TestClient, worker: InlineWorker
) -> None:
    x = [[float(i % 7), float(i % 3)] for i in range(N)]
    body = {
        "kind": "cross_validation",
        "task": "regression",
        "data": {"X": x, "y": [float(i % 5) for i in range(N)]},
        "scheme": {"name": "k_fold", "params": {"n_folds": 2}},
    }
    uses = [
        evaluate(client, worker, {**body, "learners": learners})["provenance"]["test_set"]
        for learners in ({"mean": "mean"}, {"ridge": "ridge"})
    ]

    assert uses == [{"comparisons": n, "known_by": "content"} for n in (1, 2)]


@pytest.fixture
def used(client: TestClient, worker: InlineWorker) -> list[Any]:
    """The results of 20 comparisons."""
    seeds = range(1, 22)
    dataset = upload(client, build_csv(*seeds))
    return [
        {"dataset": dataset, **evaluate(client, worker, ask(dataset, 1, seed))}
        for seed in seeds[1:]
    ]


def test_exact_from_20_comparisons_on_there_is_a_caution_everywhere(
    client: TestClient, used: list[Any]
) -> None:
    last = used[-1]
    text = TEST_SET_USED_OFTEN(n=20).message
    row = client.get("/v1/evaluations").json()["items"][0]
    path = row["links"]["self"]
    page = client.get(f"/evaluations/{row['id']}", headers={"Accept": "text/html"}).text
    earlier = client.get("/v1/evaluations").json()["items"][1]["id"]
    before = client.get(f"/evaluations/{earlier}", headers={"Accept": "text/html"}).text
    report = client.get(f"{path}/report.html").text

    assert TEST_SET_USED_OFTEN.threshold == 20
    assert "test_set_used_often" in last["cautions"]
    assert last["caution_texts"]["test_set_used_often"]["message"] == text
    assert all("test_set_used_often" not in each["cautions"] for each in used[:-1])
    assert "This is comparison 20 on this test set. Where what" in page
    assert "This is comparison 20 on this test set. Where what" in report
    assert "This is comparison 19 on this test set, known by its content." in before
    of_data = client.get(f"/data-sets/{last['dataset']}", headers={"Accept": "text/html"}).text
    assert "<dt>Evaluations of models</dt><dd>20</dd>" in of_data
    assert "<dt>Models, by their names</dt><dd>21</dd>" in of_data


@pytest.mark.parametrize("is_inline", [True, False])
def test_exact_a_bundle_is_verified_without_the_count(
    client: TestClient, worker: InlineWorker, tmp_path: Path, *, is_inline: bool
) -> None:
    seeds = range(1, 22)
    dataset = upload(client, build_csv(*seeds))
    inline = {"kind": "predictions", "blocks": "holdout", "loss": "zero_one", "y": Y}
    for seed in seeds[1:]:
        predictions = {f"m{each}": predict(each) for each in (1, seed)}
        body = {**inline, "predictions": predictions} if is_inline else ask(dataset, 1, seed)
        result = evaluate(client, worker, body)
    row = client.get("/v1/evaluations").json()["items"][0]
    file = tmp_path / "bundle.zip"
    file.write_bytes(client.get(f"{row['links']['self']}/bundle.zip").content)
    found = verify_bundle(file, None)

    assert "test_set_used_often" in result["cautions"]
    assert found.outcome is VerificationOutcome.SAME


def test_exact_the_count_outlives_what_was_deleted(
    client: TestClient, worker: InlineWorker
) -> None:
    text = build_csv(1, 2, 3)
    dataset = upload(client, text)
    evaluate(client, worker, ask(dataset, 1, 2))
    for item in client.get("/v1/evaluations").json()["items"]:
        client.delete(item["links"]["self"])
    client.delete(f"/v1/datasets/{dataset}")
    again = upload(client, text)

    assert read_uses(client, again)["evaluations"] == 1
    assert evaluate(client, worker, ask(again, 1, 3))["provenance"]["test_set"]["comparisons"] == 2
