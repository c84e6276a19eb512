"""Intervals of a cross-validation, calibrated on samples of its own data."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from tests.service.kinds.run_requests import as_json, run_kind
from thetahat.analyses.calibration.studies import CALIBRATION
from thetahat.errors import EvaluationError
from thetahat_service.kinds.base import Chunks, Job, run_chunks
from thetahat_service.kinds.cross_validation.kind import CrossValidation
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.outcomes.failure_arrays import encode_failure

RNG = np.random.default_rng(5)
X = RNG.normal(size=(90, 3))
Y = (X @ np.array([1.0, 0.5, 0.0]) + RNG.normal(size=90)).tolist()
BODY: dict[str, Any] = {
    "kind": "cross_validation",
    "task": "regression",
    "data": {"X": X.tolist(), "y": Y, "source": ["a", "b", "c"] * 30},
    "learners": {"ridge": {"name": "ridge"}, "mean": "mean"},
    "scheme": {"name": "k_fold", "params": {"n_folds": 5}},
    "variances": ["nadeau_bengio", "theta_3"],
    "intervals": ["student_t"],
    "calibration": {"repetitions": 40},
}


def result_of(body: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = run_kind(body).result
    return result


def interval_of(result: dict[str, Any], model: str, variance: str) -> dict[str, Any]:
    intervals = result["models"][model]["intervals"]
    interval: dict[str, Any] = next(each for each in intervals if each["variance"] == variance)
    return interval


def test_exact_the_rest_of_the_result_is_that_without_a_calibration() -> None:
    with_it = result_of(BODY)
    without = result_of({**BODY, "calibration": False})
    assert CALIBRATION not in without
    calibration = with_it.pop(CALIBRATION)
    assert calibration["repetitions"] == 40
    assert calibration["rows"] == 45
    assert calibration["truth_from"] == "the rows that were not drawn"
    for model in with_it["models"].values():
        for interval in model["intervals"]:
            assert 0 <= interval.pop(CALIBRATION)["coverage"]["value"] <= 1
        for interval in model["recommended"].values():
            assert 0 <= interval.pop(CALIBRATION)["coverage"]["value"] <= 1
    for pair in with_it["comparisons"]:
        for interval in (pair["interval"], *pair["recommended"].values()):
            assert interval.pop(CALIBRATION)["coverage"]["standard_error"] > 0
    assert with_it == without


def test_limit_the_corrected_interval_covers_at_least_as_often() -> None:
    result = result_of(BODY)
    for model in ("ridge", "mean"):
        corrected, plain = (
            interval_of(result, model, name)[CALIBRATION] for name in ("nadeau_bengio", "theta_3")
        )
        assert corrected["coverage"]["value"] >= plain["coverage"]["value"]
        assert corrected["width"]["value"] > plain["width"]["value"]
        assert set(corrected["covers"]) >= {"expected_at_n", "expected_at_training_size"}


def test_exact_sources_keep_their_number() -> None:
    body = {**BODY, "scheme": "leave_one_source_out", "variances": None, "intervals": None}
    body["calibration"] = {"repetitions": 20, "share": 0.4}
    result = result_of(body)
    assert result[CALIBRATION]["rows"] == 3 * 12
    calibrations = {
        (each["target"], each["variance"]): each[CALIBRATION]
        for each in result["models"]["ridge"]["intervals"]
    }
    assert calibrations["these_sources", "theta_B"]["coverage"]["value"] is not None
    # no source is left over that could be the new one
    assert calibrations["new_source", "theta_gamma"] is None


def test_exact_a_calibration_that_fails_fails_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> dict[str, np.ndarray]:
        return encode_failure("memory_limit", "it took too much", (CALIBRATION,))

    monkeypatch.setattr(CrossValidation, "run_other", fails)
    result = result_of(BODY)
    assert CALIBRATION not in result
    codes = {caution["code"] for caution in result["cautions"]}
    assert codes == {"few_blocks", "sources_cross_blocks", "not_calibrated"}
    assert "it took too much" in result["cautions"][-1]["message"]
    assert result["models"]["ridge"]["intervals"]


def test_exact_a_partial_result_comes_before_the_calibration_is_done() -> None:
    kind = JOB_KINDS["cross_validation"]
    assert kind.has_partial_results
    request = kind.request.model_validate_json(json.dumps(BODY))
    job = Job(UUID(int=3), "cross_validation", request, 7)
    started = kind.start(job)
    assert isinstance(started, Chunks)
    assert {chunk.part for chunk in started.chunks} == {"ridge", "mean", CALIBRATION}
    done = run_chunks(kind, job, [c for c in started.chunks if c.part == "ridge"])
    assert CALIBRATION not in as_json(kind.gather(job, done))
    first = run_chunks(kind, job, [c for c in started.chunks if c.part == CALIBRATION])
    partial = as_json(kind.gather(job, [*done, *first]))
    assert partial["models"]["ridge"]["intervals"][0][CALIBRATION]
    with pytest.raises(EvaluationError, match="No learner has finished"):
        kind.gather(job, first)


@pytest.mark.parametrize(
    ("change", "place", "words"),
    [
        ({"learners": {CALIBRATION: "mean"}}, ("learners", CALIBRATION), "another name"),
        ({"data": {"X": X[:30].tolist(), "y": Y[:30]}}, (CALIBRATION,), "fewer than 20"),
    ],
)
def test_invalid_calibrations_are_refused(
    change: dict[str, Any], place: tuple[str, ...], words: str
) -> None:
    with pytest.raises(EvaluationError, match=words) as refused:
        result_of({**BODY, **change})
    assert refused.value.loc == place


def test_degenerate_a_source_too_small_to_draw_from_is_a_caution() -> None:
    source = ["a", "b", "c"] * 29 + ["d", "d", "d"]
    data = {**BODY["data"], "source": source}
    body = {**BODY, "data": data, "scheme": "leave_one_source_out"}
    body |= {"variances": None, "intervals": None}
    result = result_of(body)
    assert CALIBRATION not in result
    assert "fewer than two" in result["cautions"][-1]["message"]
