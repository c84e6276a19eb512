"""A result has each caution, each studied design and each reason for none once, by key."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from tests.service.kinds.run_requests import UNKNOWN
from thetahat.values.json_values import to_json
from thetahat_presentation.expansion import expand_result
from thetahat_service.json_encoding import encode_json
from thetahat_service.kinds.base import Finished, Job, run_job
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.kinds.result_json import encode_result

RNG = np.random.default_rng(3)
Y = [int(value) for value in RNG.integers(0, 2, 120)]
SCORES = {name: RNG.random(120).round(3).tolist() for name in "ab"}
MAPPINGS = {
    "expected_coverage": "expected_coverages",
    "expected_size": "expected_sizes",
    "expected_coverage_missing": "missing_studies",
    "expected_size_missing": "missing_studies",
}


def over_sources(n_models: int, k: int = 6, n: int = 60) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    rows = {f"m{i}": rng.random((k, n // k)).round(4) + i / 50 for i in range(n_models)}
    losses = {name: values.tolist() for name, values in rows.items()}
    return {"kind": "losses", "losses": losses, "blocks": "source"}


REQUESTS: dict[str, dict[str, Any]] = {
    "sources": over_sources(4),
    "too many sources": over_sources(3, 60, 120),
    "named like a field": {
        "kind": "losses",
        "blocks": "holdout",
        "losses": {name: SCORES[m] for name, m in zip(MAPPINGS, "abab", strict=True)},
    },
    "groups and metrics": {
        "kind": "predictions",
        "blocks": "holdout",
        "y": Y,
        "scores": SCORES,
        "loss": "brier",
        "metrics": ["roc_auc"],
        "groups": {"expected_coverage": ["north", "south", "west"] * 40},
        "probabilities": True,
    },
}


def run(body: dict[str, Any]) -> tuple[Finished, dict[str, Any]]:
    """Return what a request computes, and its result as a client reads it."""
    kind = JOB_KINDS[body["kind"]]
    request = kind.request.model_validate_json(json.dumps(body))
    kind.check(request, {})
    finished = run_job(kind, Job(UUID(int=0), body["kind"], request, 7, {}))
    return finished, json.loads(encode_json(encode_result(finished, UNKNOWN)))


@pytest.mark.parametrize("name", REQUESTS)
def test_exact_a_result_with_everything_in_place_of_its_key_is_what_was_computed(name: str) -> None:
    finished, result = run(REQUESTS[name])
    computed = json.loads(encode_json(to_json(finished.result)))
    expanded = dict(expand_result(result))
    del expanded["provenance"]

    assert expanded == computed


@pytest.mark.parametrize("name", REQUESTS)
def test_exact_each_design_and_each_reason_is_there_once(name: str) -> None:
    _, result = run(REQUESTS[name])
    written = {place: result.pop(place) for place in set(MAPPINGS.values()) if place in result}
    text = json.dumps(result)

    assert written
    for place, by_key in written.items():
        assert len({json.dumps(each) for each in by_key.values()}) == len(by_key), place
        assert all(f'"{key}"' in text for key in by_key), place
        assert '"design"' not in text, place


def test_exact_models_and_groups_may_have_the_names_of_these_fields() -> None:
    _, models = run(REQUESTS["named like a field"])
    _, groups = run(REQUESTS["groups and metrics"])

    assert set(models["models"]) == set(MAPPINGS)
    (items,) = [group["items"] for group in groups["models"]["a"]["groups"].values()]
    assert [item["group"]["expected_coverage"] for item in items] == ["north", "south", "west"]


def test_exact_results_of_earlier_releases_have_them_in_place() -> None:
    finished, result = run(REQUESTS["sources"])
    older = json.loads(encode_json(to_json(finished.result)))
    parts = {"models": result["models"]}  # of a result of which a client asked for some fields
    interval = expand_result(parts)["models"]["m0"]["recommended"]["new_source"]

    assert expand_result(older) == older
    assert "expected_coverage" in result["models"]["m0"]["recommended"]["new_source"]
    assert "expected_coverage" not in interval
