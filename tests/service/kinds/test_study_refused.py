"""Kind ``study``: what may not be asked, and where a refusal says the fault lies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.service.kinds.run_requests import parquet_file, place_of, run_kind
from tests.service.kinds.small_studies import COLUMNS, LOSSES, PAIRS, Tiny, of_file
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.registry import Registry
from thetahat_service.errors import InvalidRequest
from thetahat_service.kinds.study import plan as _study_plan
from thetahat_service.kinds.study import run as study


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_study_plan, "collect_presets", lambda: Registry("presets", {"tiny": Tiny}))


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"preset": "tiny"}, ("preset",)),
        ({"population": None}, ("preset",)),
        ({"top": 2.0}, ("top",)),
        ({"inputs": {"numbers": {}}}, ("inputs",)),
        ({"draw": None}, ("draw",)),
        ({"repetitions": None}, ("repetitions",)),
        ({"draw": {"per_source": 3}}, ("draw", "n_sources")),
        ({"draw": {"n": 3, "replace": True}}, ("draw", "replace")),
        ({"population": {"generator": "nothing"}}, ("population", "generator", "name")),
        ({"population": {"generator": "gaussian_shift"}}, ("estimators", 0, "variances")),
        ({"estimators": [{"select": "least"}]}, ("estimators", 0, "select")),
        ({"estimators": [{"risks": ["weighted"]}]}, ("estimators", 0, "risks")),
        (
            {"population": {"generator": "random_effects", "duplicates": "a"}},
            ("population", "generator"),
        ),
        (
            {
                "population": {
                    "generator": {"name": "random_effects", "params": {"omega": 0.1, "gamma": -0.1}}
                }
            },
            ("population", "generator", "params", "gamma"),
        ),
        ({"estimators": [{"scheme": "k_fold"}]}, ("estimators", 0, "scheme")),
        ({"estimators": [{"variances": ["out_of_bag"]}]}, ("estimators", 0, "variances")),
        ({"estimators": [{"variances": ["nothing"]}]}, ("estimators", 0, "variances", 0, "name")),
        ({"estimators": [{}, {}]}, ("estimators", 1)),
    ],
)
def test_invalid_requests(changes: dict[str, Any], place: tuple[Any, ...]) -> None:
    body = {key: item for key, item in (LOSSES | changes).items() if item is not None}

    with pytest.raises((EvaluationError, InvalidRequest)) as refused:
        run_kind(body)

    assert place_of(refused.value) == place


@pytest.mark.parametrize(
    ("estimator", "place"),
    [
        ({"learner": "majority"}, ("scheme",)),
        ({"scheme": "k_fold"}, ("learners",)),
        ({"scheme": "k_fold", "learner": "majority", "loss": "squared"}, ("loss",)),
        ({"scheme": "leave_one_source_out", "learner": "majority"}, ("scheme",)),
        ({"scheme": "k_fold", "learner": "majority", "truths": ["all"]}, ("truths",)),
        ({"scheme": "k_fold", "learners": {"a|b": "majority"}}, ("learners", "a|b")),
        ({"scheme": "k_fold", "learners": {"selected": "majority"}}, ("learners", "selected")),
        ({"scheme": "k_fold", "learner": "majority", "risks": ["weighted"]}, ("risks",)),
        (
            {"scheme": {"name": "k_fold", "params": {"n_folds": "x"}}},
            ("scheme", "params", "n_folds"),
        ),
        ({"scheme": "k_fold", "learner": "majority", "variances": ["theta_A"]}, ("variances", 0)),
    ],
)
def test_invalid_estimators_of_data(estimator: dict[str, Any], place: tuple[Any, ...]) -> None:
    body = LOSSES | {
        "population": {"generator": "two_class_gaussian"},
        "draw": {"n": 20},
        "estimators": [estimator],
    }

    with pytest.raises((EvaluationError, InvalidRequest)) as refused:
        run_kind(body)

    assert place_of(refused.value) == ("estimators", 0, *place)


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"draw": {"n_sources": 2, "per_source": 3}}, ("estimators", 0, "scheme")),
        ({"estimators": [{"learner": "majority"}]}, ("estimators", 0, "scheme")),
        (
            {"estimators": [{**PAIRS["estimators"][0], "risks": ["nothing"]}]},
            ("estimators", 0, "risks", 0, "name"),
        ),
        (
            {"estimators": [{**PAIRS["estimators"][0], "select": "least"}]},
            ("estimators", 0, "select"),
        ),
    ],
)
def test_invalid_pairs(changes: dict[str, Any], place: tuple[Any, ...]) -> None:
    with pytest.raises((EvaluationError, InvalidRequest)) as refused:
        run_kind(PAIRS | changes)

    assert place_of(refused.value) == place


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"preset": "nothing"}, ("preset",)),
        ({"top": -1.0}, ("top",)),
        ({"top": "high"}, ("top",)),
        ({"bottom": 1.0}, ("bottom",)),
        ({"draw": {"n": 3}}, ("draw",)),
        ({"inputs": {"words": {}}}, ("inputs", "words")),
        ({"inputs": {"numbers": {}}}, ("inputs", "numbers", "data")),
    ],
)
def test_invalid_presets(changes: dict[str, Any], place: tuple[Any, ...]) -> None:
    with pytest.raises((EvaluationError, InvalidRequest)) as refused:
        run_kind({"kind": "study", "preset": "tiny"} | changes)

    assert place_of(refused.value) == place


@pytest.mark.parametrize(
    ("population", "place"),
    [
        ({"duplicates": "nothing"}, ("population", "duplicates")),
        ({"columns": {"target": "z"}}, ("population", "columns", "target")),
        ({"duplicates": ["a", "b"]}, ("population", "duplicates")),
    ],
)
def test_invalid_data_sets(
    tmp_path: Path, population: dict[str, Any], place: tuple[Any, ...]
) -> None:
    file, body = parquet_file(tmp_path, COLUMNS), of_file(tmp_path)

    with pytest.raises((EvaluationError, InvalidRequest)) as refused:
        run_kind(body | {"population": body["population"] | population}, [file], job=7)

    assert place_of(refused.value) == place


def test_invalid_inline_data_name_no_column_of_duplicates() -> None:
    body = LOSSES | {
        "population": {"data": {"X": [[1], [2]], "y": ["a", "b"]}, "duplicates": "text"},
        "draw": {"n": 1},
        "estimators": [{"scheme": "k_fold", "learner": "majority"}],
    }

    with pytest.raises(InvalidParameter, match="a list with one label per row"):
        run_kind(body)


def test_invalid_records_that_no_memory_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "MOST_VALUES", 100)

    with pytest.raises(InvalidParameter, match="Ask for fewer repetitions") as refused:
        run_kind(LOSSES, job=8)

    assert refused.value.loc == ("repetitions",)
