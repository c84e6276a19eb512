"""How often intervals and verdicts like those of a result were right, as pages show it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

import thetahat
from tests.architecture.sources import ROOT
from thetahat_service.pages.study_shares import NOT_STUDIED, list_study_tables

SPACE = "\N{NO-BREAK SPACE}"


def make_result(n_models: int = 2, **options: Any) -> Any:
    rng = np.random.default_rng(5)
    losses = {
        f"m{i}": (rng.random((10, 20)) < 0.2 + 0.02 * i).astype(float) for i in range(n_models)
    }
    return thetahat.to_json(thetahat.evaluate(losses, blocks="random", **options))


def test_exact_the_shares_of_a_result_are_shown_with_errors_range_and_design() -> None:
    result = make_result()
    (model, *_), (pair,) = result["models"].values(), result["comparisons"]
    for interval in (*model["recommended"].values(), pair["interval"]):
        assert interval["expected_coverage"]["level"] == 0.95

    intervals, verdicts = list_study_tables(result, "source")

    assert {row[0] for row in intervals.rows} == {"All models", "m0 − m1"}
    of_models = model["recommended"]["these_sources"]["expected_coverage"]
    (row,) = [row for row in intervals.rows if row[:2] == ["All models", "on data like these"]]
    assert row[2] == (
        f"{100 * of_models['coverage']:.3g}{SPACE}% "
        f"(± {100 * of_models['standard_error']:.1g}{SPACE}%)"
    )
    assert row[3] == (
        f"{100 * of_models['least']:.3g}{SPACE}% to {100 * of_models['largest']:.3g}{SPACE}%"
    )
    assert row[4] == of_models["design"]
    size = pair["verdict"]["expected_size"]
    assert verdicts.rows[0][:2] == ["m0 − m1", "on data like these"]
    assert verdicts.rows[0][4] == size["design"]
    assert verdicts.rows[0][2].startswith(f"{100 * size['size']:.2g}{SPACE}%")


def test_exact_another_level_is_named_beside_the_studied_one() -> None:
    intervals, *_ = list_study_tables(make_result(level=0.9), "source")
    assert "Those of this result have level 90" in intervals.note
    assert intervals.note.startswith("Two-sided intervals of level 95 % by the same methods")
    assert intervals.note != list_study_tables(make_result(), "source")[0].note


def test_degenerate_a_design_that_was_not_studied_is_said_to_be_so() -> None:
    result = make_result()
    for model in result["models"].values():
        for interval in model["recommended"].values():
            interval["expected_coverage"] = None

    intervals, _ = list_study_tables(result, "source")

    of_models = [row for row in intervals.rows if row[0] == "All models"]
    assert len(of_models) == 2
    assert all(row[2:] == [NOT_STUDIED, "–", "–"] for row in of_models)


def test_exact_many_models_that_share_a_design_are_counted() -> None:
    result = make_result(6)
    odd, *others = result["models"].values()
    for interval in odd["recommended"].values():
        interval["expected_coverage"] = None

    intervals, verdicts = list_study_tables(result, "source")

    assert {"m0", "5 models", "All differences"} <= {row[0] for row in intervals.rows}
    assert len(others) == 5
    assert [row[0] for row in verdicts.rows] == ["All differences"]


def test_exact_comparisons_in_brief_have_the_shares_that_are_listed_once() -> None:
    result = make_result(3, detail="brief")
    assert all("expected_coverage" not in pair["interval"] for pair in result["comparisons"])
    (share,) = result["comparison_coverages"]

    intervals, *_ = list_study_tables(result, "source")

    (row,) = [row for row in intervals.rows if row[0] == "All differences"]
    assert row[4] == share["design"]


def test_degenerate_without_intervals_there_is_no_table() -> None:
    result = make_result()
    for model in result["models"].values():
        model["recommended"] = {}
    result["comparisons"] = []
    assert list_study_tables(result, "source") == []


def test_exact_intervals_of_metrics_have_rows_of_their_own() -> None:
    kinds = ROOT / "service" / "thetahat_service" / "kinds"
    example = kinds / "cross_validation" / "example_result.json"
    result = json.loads(example.read_text(encoding="utf-8"))
    metrics = {name for model in result["models"].values() for name in model["metrics"]}

    intervals, _ = list_study_tables(result, "source")

    assert metrics
    for name in metrics:
        rows = [row for row in intervals.rows if row[0].startswith(f"{name}: ")]
        assert {row[1] for row in rows} == {"of these trained models", "on data like these"}
        assert all(name in row[4] for row in rows if row[2] != NOT_STUDIED)


def test_degenerate_a_result_without_a_direction_is_one_of_losses() -> None:
    result = make_result()
    tables = list_study_tables(result, "source")
    del result["summary"]["better"]  # results of the first releases
    assert list_study_tables(result, "source") == tables
    result["summary"]["better"] = "higher"
    assert any("losses of 0 and 1" in row[4] for row in list_study_tables(result, "source")[0].rows)
