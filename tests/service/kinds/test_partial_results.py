"""What is complete is evaluated while the rest is at work: selections and learning curves."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any
from uuid import uuid4

import pytest
from numpy.testing import assert_allclose

from tests.service.kinds.run_requests import as_json, run_kind
from tests.service.kinds.test_learning_curve import BODY as CURVE
from tests.service.kinds.test_selection import BODY as SELECTION
from thetahat_service.kinds.base import Chunks, Job, run_chunks
from thetahat_service.kinds.fitting import engine
from thetahat_service.kinds.registry import JOB_KINDS

TREE = {"name": "DecisionTreeRegressor", "params": {"max_depth": 2}}


@pytest.fixture(autouse=True)
def cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "SMALL", 0)


def result_of_some(body: dict[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Return the result of the parts with those names, as if the others were not done."""
    kind = JOB_KINDS[body["kind"]]
    assert kind.has_partial_results
    request = kind.request.model_validate_json(json.dumps(body))
    job = Job(uuid4(), body["kind"], request, 7)
    started = kind.start(job)
    assert isinstance(started, Chunks)
    done = run_chunks(kind, job, [chunk for chunk in started.chunks if chunk.part in names])
    return as_json(kind.gather(job, done))


def test_exact_a_partial_selection_equals_one_without_the_other_candidates() -> None:
    nearest = {"name": "nearest_neighbours", "params": {"k": 3}}
    grid = {"name": "ridge", "grid": {"penalty": [0.1, 10]}}
    two = {"mean": "mean", "grid": grid}
    body = {**SELECTION, "compare": True, "candidates": {"near": nearest, **two, "tree": TREE}}
    partial = result_of_some({**body, "control": "near"}, ["mean", "grid"])
    alone = run_kind({**body, "candidates": two}).result

    for field in ("models", "chosen", "internal", "external", "bias", "comparisons"):
        assert partial[field] == alone[field], field
    messages = {c["code"]: c["message"] for c in partial["cautions"]}
    assert "among 3 of 5 candidates so far" in messages["choice_among_some"]
    assert "'near', 'tree'" in messages["choice_among_some"]
    assert "control_left_out" in messages
    assert "choice_among_some" not in {c["code"] for c in alone["cautions"]}
    used = [m["as"] for m in partial["methods"] if m["family"] == "learners"]
    assert used == ["mean", "grid[penalty=0.1]", "grid[penalty=10]"]


def test_exact_a_partial_curve_has_the_points_of_the_complete_curve() -> None:
    partial = result_of_some(CURVE, ["ridge @ 5", "ridge @ 10", "mean @ 5"])
    whole = run_kind(CURVE).result

    assert partial["sizes"] == whole["sizes"]
    assert (partial["size"], whole["size"]) == ("10", "1")
    assert list(partial["models"]) == ["ridge"]
    points = whole["curves"]["ridge"]["points"]
    for point, other in zip(partial["curves"]["ridge"]["points"], points[:2], strict=True):
        assert point["mean"] == other["mean"]
        for a, b in zip(point["intervals"], other["intervals"], strict=True):
            # the resamples of more sizes are products of wider matrices, rounded otherwise
            assert_allclose([a["lower"], a["upper"]], [b["lower"], b["upper"]], rtol=1e-12)
    assert len(partial["curves"]["mean"]["points"]) == 1
    caution = next(c for c in partial["cautions"] if c["code"] == "not_the_largest_size")
    assert caution["message"].endswith("those at size 10.")
