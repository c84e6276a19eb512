"""Calibration of what speaks of a new source, on whole sources of the data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.service.kinds.run_requests import run_kind
from thetahat.analyses.calibration.studies import CALIBRATION, WholeSourcesStudy
from thetahat.analyses.studies.general import GeneralStudy
from thetahat.errors import InsufficientData

RNG = np.random.default_rng(17)


def body_of(n_sources: int) -> dict[str, Any]:
    source = np.repeat([f"s{k}" for k in range(n_sources)], 8)
    X = RNG.normal(size=(len(source), 2))
    y = X[:, 0] + np.repeat(RNG.normal(size=n_sources), 8) + RNG.normal(size=len(source))
    return {
        "kind": "cross_validation",
        "task": "regression",
        "data": {"X": X.tolist(), "y": y.tolist(), "source": source.tolist()},
        "learners": {"ridge": "ridge", "mean": "mean"},
        "scheme": "leave_one_source_out",
        "variances": ["theta_gamma", "theta_B"],
        "intervals": ["student_t", "prediction"],
        "calibration": {"repetitions": 20},
    }


def intervals_of(result: dict[str, Any]) -> dict[tuple[str, str], Any]:
    intervals = result["models"]["ridge"]["intervals"]
    return {(each["method"], each["target"]): each[CALIBRATION] for each in intervals}


def test_exact_a_new_source_is_calibrated_if_there_are_enough_sources() -> None:
    body = body_of(9)
    result = run_kind(body).result
    about = result[CALIBRATION]["new_source"]
    assert (about["drawn"], about["sources"]) == (4, 9)
    assert "too low" in about["note"]
    intervals = intervals_of(result)
    of_new = intervals["student_t", "new_source"]
    assert set(of_new["covers"]) == {
        "new_source",
        "fold_models_on_new_sources",
        "observed_on_one_new_source",
    }
    assert 0 <= of_new["coverage"]["value"] <= of_new["covers"]["new_source"]["value"] <= 1
    assert of_new["width"]["value"] > 0
    assert intervals["prediction", "new_source"]["coverage"]["value"] > 0.5
    assert (
        result["models"]["ridge"]["prediction"][CALIBRATION]
        == intervals["prediction", "new_source"]
    )
    assert "expected_at_training_size" in intervals["student_t", "these_sources"]["covers"]
    pair = result["comparisons"][0]["interval"]
    assert pair[CALIBRATION]["coverage"]["standard_error"] > 0
    assert [c["code"] for c in result[CALIBRATION]["cautions"]] == ["few_repetitions"]
    assert run_kind(body).result == result


def test_degenerate_too_few_sources_are_the_reason_of_a_caution() -> None:
    result = run_kind(body_of(7)).result
    assert result[CALIBRATION]["new_source"] is None
    (caution,) = (
        c for c in result[CALIBRATION]["cautions"] if c["code"] == "new_source_not_calibrated"
    )
    assert "there are 7 sources, and 8 are needed" in caution["message"]
    intervals = intervals_of(result)
    assert intervals["student_t", "new_source"] is None
    assert intervals["student_t", "these_sources"]["coverage"]["value"] is not None


def test_degenerate_the_error_of_every_draw_is_the_reason_of_a_caution(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = GeneralStudy.finish

    def finish(study: GeneralStudy, records: Any) -> Any:
        if study.same_sources == 1:
            raise InsufficientData("nothing came out")
        return whole(study, records)

    monkeypatch.setattr(GeneralStudy, "finish", finish)
    monkeypatch.setattr(WholeSourcesStudy, "run", lambda *_: {})
    result = run_kind(body_of(8)).result
    assert (
        result[CALIBRATION]["cautions"][-1]["message"]
        == "The intervals for a new source are not calibrated: nothing came out"
    )
    assert intervals_of(result)["student_t", "new_source"] is None


def test_exact_folds_at_random_have_no_new_source() -> None:
    at_random = {"scheme": "k_fold", "variances": ["theta_3"], "intervals": ["student_t"]}
    result = run_kind({**body_of(8), **at_random}).result
    assert result[CALIBRATION]["new_source"] is None
    codes = [c["code"] for c in result[CALIBRATION]["cautions"]]
    assert "new_source_not_calibrated" not in codes
