"""The parts that a request includes, and extreme losses as a request brings them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.service.kinds.run_requests import place_of, run_kind
from thetahat.errors import EvaluationError
from thetahat_service.errors import InvalidRequest
from thetahat_service.in_process.evaluation import evaluate_in_process
from thetahat_service.json_encoding import encode_json


def body(n_models: int, **fields: Any) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    losses = {f"m{i}": rng.integers(0, 8, (3, 6)).tolist() for i in range(n_models)}
    return {"kind": "losses", "losses": losses, "blocks": "random", **fields}


@pytest.mark.usefixtures("small_by_default")
def test_exact_a_result_has_the_parts_that_its_request_includes() -> None:
    small, named, whole = (
        run_kind(body(3, **fields)).result
        for fields in ({}, {"include": ["tests", "covariance"]}, {"include": "all"})
    )

    assert small["include"] == []
    assert "tests" not in small["comparisons"][0]
    assert named["include"] == ["covariance", "tests"]
    assert named["comparisons"][0]["tests"] == whole["comparisons"][0]["tests"]
    assert named["covariance"] == whole["covariance"]
    assert {"variances", "intervals"} <= set(whole["models"]["m0"])
    used = {entry["name"] for entry in named["methods"] if entry["family"] == "tests"}
    assert used == set(named["comparisons"][0]["tests"])
    assert not any(entry["family"] == "tests" for entry in small["methods"])


def test_invalid_a_part_says_what_there_is() -> None:
    with pytest.raises((InvalidRequest, EvaluationError), match="did you mean 'tests'") as caught:
        run_kind(body(2, include=["covariance", "test"]))

    assert place_of(caught.value) == ("include", 1)


@pytest.mark.usefixtures("small_by_default")
def test_limit_forty_five_losses_are_answered_in_ten_kilobytes() -> None:
    rng = np.random.default_rng(0)
    losses = {name: rng.random((5, 9)).round(3).tolist() for name in ("before", "after")}
    text = encode_json(run_kind({"kind": "losses", "losses": losses, "blocks": "random"}).result)

    assert len(text) < 10_000


@pytest.mark.usefixtures("small_by_default")
@pytest.mark.parametrize("n_sources", [10, 30])
def test_limit_thirty_models_are_answered_in_a_hundred_kilobytes(n_sources: int) -> None:
    rng = np.random.default_rng(7)
    shape = (n_sources, 600 // n_sources)
    base = rng.normal(1, 0.4, shape)
    losses = {
        f"model_{i:02d}": (
            base + 0.02 * i + rng.normal(0, 0.3, shape) + rng.normal(0, 0.1, (n_sources, 1))
        ).tolist()
        for i in range(30)
    }
    request: dict[str, Any] = {"kind": "losses", "losses": losses, "blocks": "source"}
    result = evaluate_in_process(request, None).result

    assert all(pair["other_verdicts"] for pair in result["comparisons"])
    assert len(encode_json(result)) < 100_000


@pytest.mark.parametrize(
    "losses",
    [
        {"a": [[0, 0], [0, 0]], "b": [[0, 0], [0, 0]]},
        {"a": [[0], [1]], "b": [[1], [1]]},
        {"a": [[1e130, 0], [1, 2]], "b": [[0, 0], [1, 2]]},
    ],
)
@pytest.mark.parametrize("blocks", ["random", "source"])
def test_degenerate_losses_have_a_result_of_numbers(
    losses: dict[str, list[list[float]]], blocks: str
) -> None:
    result = run_kind({"kind": "losses", "losses": losses, "blocks": blocks}).result

    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert result["comparisons"][0]["verdict"]["decision"] == "undecided"
    assert result["cautions"]
