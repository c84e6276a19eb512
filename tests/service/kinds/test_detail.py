"""How much a result says of each pair, and extreme losses as a request brings them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.service.kinds.run_requests import place_of, run_kind
from thetahat.errors import EvaluationError
from thetahat_service.errors import InvalidRequest
from thetahat_service.json_encoding import encode_json


def body(n_models: int, **fields: Any) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    losses = {f"m{i}": rng.integers(0, 8, (3, 6)).tolist() for i in range(n_models)}
    return {"kind": "losses", "losses": losses, "blocks": "random", **fields}


def test_exact_detail_is_echoed() -> None:
    full, brief = (run_kind(body(3, **fields)).result for fields in ({}, {"detail": "brief"}))

    assert (full["detail"], brief["detail"]) == ("full", "brief")
    assert {c["code"] for c in brief["cautions"]} == {c["code"] for c in full["cautions"]}
    assert brief["comparison_cautions"][0]["pairs"] == 3
    used = {entry["name"] for entry in brief["methods"] if entry["family"] == "tests"}
    assert used == set(brief["comparisons"][0]["tests"])


def test_exact_more_than_a_thousand_pairs_are_reported_in_brief() -> None:
    result = run_kind(body(46, tests=["sign"], pairs="all")).result

    assert result["detail"] == "brief"
    assert "brief_comparisons" in {c["code"] for c in result["cautions"]}
    assert len(result["comparisons"]) == 1035
    assert len(encode_json(result["comparisons"])) < 1200 * 1035


def test_invalid_detail_says_what_there_is() -> None:
    with pytest.raises((InvalidRequest, EvaluationError), match="full, brief") as caught:
        run_kind(body(2, detail="terse"))

    assert place_of(caught.value) == ("detail",)


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
