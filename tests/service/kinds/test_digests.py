"""The digests of a request's data, and the seed that does not depend on how they are computed."""

from __future__ import annotations

import hashlib
import json
from typing import Any
from uuid import UUID

import pytest

from thetahat.seeds import derive_seed
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.kinds.digests import RequestDigests, compute_digests
from thetahat_service.kinds.examples import REQUEST, read_examples
from thetahat_service.kinds.registry import JOB_KINDS

LOSSES: dict[str, list[list[float]]] = {
    "old": [[0, 1, 0.5], [1, 1, 0]],
    "new": [[0, 0, 0.25], [1, 0, 0]],
}
FILE = DatasetFile(UUID(int=5), "cd" * 32, "text/csv", 4, [], {})


def digest(body: dict[str, Any], *files: DatasetFile) -> RequestDigests:
    request = JOB_KINDS[body["kind"]].request.model_validate(body)
    return compute_digests(request, {file.id: file for file in files})


def test_exact_the_same_losses_in_other_requests_have_the_same_digest() -> None:
    first = digest({"kind": "losses", "losses": LOSSES})
    others: list[dict[str, Any]] = [
        {"losses": LOSSES, "margin": 0.1, "level": 0.9, "include": "all", "seed": 3},
        {"losses": dict(reversed(LOSSES.items()))},
        {"losses": {name: [[float(x) for x in row] for row in m] for name, m in LOSSES.items()}},
    ]
    for body in others:
        other = digest({"kind": "losses", **body})
        assert other.data_sha256 == first.data_sha256, body
        assert other.request_sha256 != first.request_sha256, body
    # By hand: the values as JSON, names sorted, whole numbers without a point.
    text = '{"losses":{"new":[[0,0,0.25],[1,0,0]],"old":[[0,1,0.5],[1,1,0]]}}'
    assert first.data_sha256 == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    "change",
    [
        {"losses": {**LOSSES, "new": [[0, 0, 0.25], [1, 0, 1e-300]]}},
        {"losses": {**LOSSES, "new": [[0, 0, 0.25, 1], [0, 0]]}},
        {"losses": LOSSES, "block_labels": ["a", "b"]},
        {"losses": {"old": LOSSES["old"]}},
    ],
)
def test_exact_other_values_have_another_digest(change: dict[str, Any]) -> None:
    first = digest({"kind": "losses", "losses": LOSSES})
    assert digest({"kind": "losses", **change}).data_sha256 != first.data_sha256


def test_exact_the_seed_is_that_of_the_request_and_not_of_the_values_alone() -> None:
    for body in read_examples(REQUEST).values():
        without = {name: value for name, value in body.items() if name not in {"seed", "include"}}
        digests = digest(without)
        assert digests.seed == derive_seed(digests.request_sha256, digests.request_sha256)


def test_exact_every_kind_with_data_in_the_request_has_a_digest_of_them() -> None:
    for kind, body in read_examples(REQUEST).items():
        digests = digest(json.loads(json.dumps(body)))
        is_drawn = kind == "study"
        assert (digests.data_sha256 == digests.request_sha256) == is_drawn, kind


def test_exact_values_beside_a_file_are_in_the_digest() -> None:
    body = {
        "kind": "cross_validation",
        "dataset": str(FILE.id),
        "columns": {"target": "y"},
        "learners": {"ridge": "ridge"},
        "scheme": "kfold",
        "task": "regression",
    }
    alone = digest(body, FILE)
    beside = digest({**body, "target_sample": {"X": [[1.0], [2.0]]}}, FILE)
    assert alone.data_sha256 == FILE.sha256
    values = hashlib.sha256(b'{"target_sample":{"X":[[1],[2]]}}').hexdigest()
    joined = hashlib.sha256(f"{FILE.sha256}\n{values}".encode()).hexdigest()
    assert beside.data_sha256 == joined
    in_file = {"dataset": str(FILE.id), "columns": {"features": ["x"]}}
    assert digest({**body, "target_sample": in_file}, FILE).data_sha256 == FILE.sha256
