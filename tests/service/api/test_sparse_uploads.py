"""Sparse data sets over HTTP, from the upload to the result."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, random_array, save_npz
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.test_datasets import kept_files, send

NPZ = "application/x-npz"
LIBSVM = "text/x-libsvm"
LINES = b"0 1:2 2:1\n1 2:3\n0 1:1\n1 2:1 1:1\n0 1:4\n1 2:2\n"


def test_exact_a_matrix_is_kept_shown_evaluated_and_removed(
    client: TestClient, worker: InlineWorker
) -> None:
    sent = send(client, LINES, LIBSVM)
    dataset = sent.json()
    shown = client.get(dataset["links"]["preview"], params={"rows": 1}).json()
    body = {
        "kind": "cross_validation",
        "dataset": dataset["id"],
        "columns": {"target": "y", "features": ["X"]},
        "task": "classification",
        "learners": {"nb": "multinomial_naive_bayes", "b": "bernoulli_naive_bayes"},
        "scheme": {"name": "k_fold", "params": {"n_folds": 3}},
    }
    response = client.post("/v1/evaluations", json=body)
    worker.work()
    result = client.get(f"{response.headers['location']}/result").json()

    assert sent.status_code == 201
    assert dataset["columns"] == [
        {"name": "X", "type": "sparse"},
        {"name": "y", "type": "integer"},
    ]
    assert dataset["understood"]["first_index"] == 1
    assert shown["rows"] == [[{"X1": 2.0, "X2": 1.0}, 0]]
    assert result["models"]["nb"]["n"] == 6
    assert client.delete(f"/v1/datasets/{dataset['id']}").status_code == 204


def test_exact_the_same_bytes_are_read_in_two_ways(client: TestClient, data_dir: Path) -> None:
    text = b"1 1:1\n2 2:2\n"
    lines, table = send(client, text, LIBSVM).json(), send(client, text).json()

    assert lines["id"] != table["id"]
    assert [c["name"] for c in lines["columns"]] == ["X", "y"]
    assert [c["name"] for c in table["columns"]] == ["1", "1:1"]  # separated by spaces
    assert client.get(lines["links"]["preview"]).json()["rows"] == [
        [{"X1": 1.0}, 1],
        [{"X2": 2.0}, 2],
    ]
    assert len(kept_files(data_dir)) == 3
    for dataset in (lines, table):
        assert client.delete(f"/v1/datasets/{dataset['id']}").status_code == 204
    assert kept_files(data_dir) == []


def test_exact_a_form_s_file_is_known_by_its_ending(client: TestClient) -> None:
    sink = io.BytesIO()
    rng = np.random.default_rng(3)
    save_npz(sink, csr_matrix(random_array((5, 4), density=0.5, rng=rng)))
    answer = client.post("/v1/datasets", files={"file": ("words.npz", sink.getvalue(), "")})

    assert answer.status_code == 201
    assert answer.json()["media_type"] == NPZ
    assert answer.json()["understood"]["nonzeros"] == 10


def test_invalid_a_broken_archive_says_what_is_wrong(client: TestClient) -> None:
    answer = send(client, b"PK\x03\x04 and then nothing", NPZ)

    assert answer.status_code == 422
    assert "not an NPZ that can be read" in answer.json()["detail"]
