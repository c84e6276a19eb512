"""Kind ``study``: what comes out, from generators, data sets and presets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.service.kinds.run_requests import parquet_file, run_kind
from tests.service.kinds.small_studies import COLUMNS, LOSSES, PAIRS, Tiny, of_file
from thetahat.analyses.studies.recorded_repetitions import (
    RecordedRepetitions,
    pack_records,
    unpack_records,
)
from thetahat.registry import Registry
from thetahat_service.jobs.chunk_files import KEPT
from thetahat_service.kinds.base import JobKind
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.kinds.study import plan as _study_plan
from thetahat_service.kinds.study import run as study
from thetahat_service.kinds.study.records import read_records, tabulate_records


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_study_plan, "collect_presets", lambda: Registry("presets", {"tiny": Tiny}))


@pytest.fixture
def in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "AT_ONCE_S", -1.0)


def test_exact_chunks_or_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run_kind(LOSSES, job=1)
    monkeypatch.setattr(study, "AT_ONCE_S", -1.0)
    cut = run_kind(LOSSES, job=2)

    assert whole.losses is not None
    assert whole.losses.equals(cut.losses)
    assert whole.result["tables"] == cut.result["tables"]
    assert whole.losses.num_rows == 30
    assert whole.result["study"]["repetitions"] == 30
    assert [(m["name"], m["params"]["omega"]) for m in whole.result["methods"]] == [
        ("random_effects", 0.1)
    ]


def test_exact_a_preset_has_defaults_and_takes_overrides(in_chunks: None) -> None:
    plain = run_kind({"kind": "study", "preset": "tiny"}, job=3)
    other = run_kind({"kind": "study", "preset": "tiny", "top": 2.0, "repetitions": 25}, job=4)

    assert plain.losses is not None
    assert other.losses is not None
    assert plain.losses.column_names == ["repetition", "pair[0]", "pair[1]"]
    assert (plain.losses.num_rows, other.losses.num_rows) == (40, 25)
    ones, twos = (outcome.losses.column("pair[1]").to_numpy() for outcome in (plain, other))
    assert np.array_equal(2 * ones[:25], twos)
    assert plain.result["claims"][0]["verdict"] == "holds"
    assert plain.result["cautions"][0]["message"] == "a generator"
    assert [c["code"] for c in plain.result["cautions"]] == ["from", "few_repetitions"]
    assert other.result["study"]["top"] == 2.0
    assert other.result["methods"] == [
        {"family": "presets", "name": "tiny", "params": {"top": 2.0}}
    ]


def test_exact_a_preset_takes_data_by_role() -> None:
    inputs = {"numbers": {"data": {"X": [[1], [2], [3]], "y": ["a", "b", "a"]}}}

    outcome = run_kind({"kind": "study", "preset": "tiny", "inputs": inputs}, job=5)

    assert outcome.result["cautions"][0]["message"] == "3 rows"


def test_exact_a_data_set_is_drawn_per_source(tmp_path: Path) -> None:
    file = parquet_file(tmp_path, COLUMNS)
    outcome = run_kind(of_file(tmp_path), [file], job=6)
    description = outcome.result["study"]
    errors = {
        (r["estimator"], r["subject"], r["truth"]) for r in outcome.result["tables"][1]["rows"]
    }

    assert description["truth_from"] == "the rows that were not drawn"
    assert description["repetitions"] == 10
    assert ("leave_one_source_out", "nm", "new_source") in errors
    assert ("leave_one_source_out", "nm|none", "expected_at_training_size") in errors
    assert ("folds", "nearest_mean", "new_source") not in errors
    assert outcome.losses is not None
    assert set(outcome.losses.column("sources").to_pylist()) == {0.0, 1.0}


def test_exact_pairs_have_risks_under_the_target() -> None:
    every, estimator = run_kind(PAIRS, job=9), PAIRS["estimators"][0] | {"risks": ["controlled"]}
    weighted = run_kind(PAIRS | {"estimators": [estimator | {"weights": "logistic"}]}, job=10)
    means = {row["mean"] for row in every.result["tables"][0]["rows"]}

    assert means == {"weighted", "controlled", "self_normalised", "truncated", "doubly"}
    assert {row["mean"] for row in weighted.result["tables"][0]["rows"]} == {"controlled"}
    assert "target_population" in every.result["study"]["truths"]


def test_exact_one_of_the_learners_is_chosen() -> None:
    body = LOSSES | {
        "population": {"generator": "two_class_gaussian", "n_judged": 50},
        "draw": {"n": 30},
        "estimators": [
            {
                "scheme": {"name": "k_fold", "params": {"n_folds": 3}},
                "learners": {"nm": "nearest_mean", "none": "majority"},
                "variances": [],
                "intervals": [],
                "tests": [],
                "select": "one_standard_error",
            }
        ],
        "repetitions": 5,
    }

    outcome = run_kind(body, job=11)

    assert [table["name"] for table in outcome.result["tables"]][-1] == "selection"
    rows = {row["subject"]: row for row in outcome.result["tables"][-1]["rows"]}
    assert set(rows) == {"nm", "none", "selected"}
    assert rows["nm"]["share"]["value"] + rows["none"]["share"]["value"] == pytest.approx(1)


def test_exact_records_come_back_from_chunks_and_tables() -> None:
    records = {"a": np.array([1.0, np.nan]), "b/c": np.arange(8.0).reshape(2, 2, 2)}
    recorded = RecordedRepetitions(np.array([3, 7]), records)

    for back in (
        unpack_records(pack_records(recorded)),
        read_records(tabulate_records(recorded)),
    ):
        assert back.index.tolist() == [3, 7]
        for name, values in records.items():
            assert np.array_equal(back.records[name], values, equal_nan=True)


def completes(kind: JobKind[Any]) -> bool:
    return type(kind).complete_request is not JobKind.complete_request


def test_exact_kinds_whose_chunks_are_kept_can_be_continued() -> None:
    # A request of predictions for a Ladder becomes one of its kind; none of its chunks are kept.
    assert {name for name, kind in JOB_KINDS.items() if completes(kind)} == KEPT | {"ladder"}
