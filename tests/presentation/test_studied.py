"""How often intervals and verdicts like those of a result were right, as pages show it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

import thetahat
from tests.architecture.sources import ROOT
from tests.presentation.reading import texts_of
from thetahat.metrics.f1 import F1
from thetahat_presentation.document import Table
from thetahat_presentation.numbers import format_percent
from thetahat_presentation.parts.groups import build_groups_section
from thetahat_presentation.parts.models import ModelsResult
from thetahat_presentation.parts.studied import NOT_STUDIED, list_study_tables
from thetahat_presentation.showing import show
from thetahat_presentation.wording import name_method


def make_result(n_models: int = 2, **options: Any) -> Any:
    rng = np.random.default_rng(5)
    losses = {
        f"m{i}": (rng.random((10, 20)) < 0.2 + 0.02 * i).astype(float) for i in range(n_models)
    }
    return thetahat.to_json(thetahat.evaluate(losses, blocks="random", **options))


def list_tables_of(result: Any) -> list[Table]:
    return [table for table in list_study_tables(ModelsResult(result, {})) if table.rows]


def test_exact_the_shares_of_a_result_are_shown_with_errors_range_and_design() -> None:
    result = make_result(variances=["nadeau_bengio"])
    (model, *_), (pair,) = result["models"].values(), result["comparisons"]
    for interval in (*model["recommended"].values(), pair["interval"]):
        assert interval["expected_coverage"]["level"] == 0.95

    intervals, verdicts = list_tables_of(result)

    of_pair = {f"{part}m0 − m1" for part in ("", "relative difference: ", "win rate: ")}
    assert {row[0] for row in texts_of(intervals)} == {"All models", *of_pair}
    of_models = model["recommended"]["these_sources"]["expected_coverage"]
    (row,) = [row for row in texts_of(intervals) if row[:2] == ["All models", "on data like these"]]
    assert row[2] == (
        f"{100 * of_models['coverage']:.3g} % (± {100 * of_models['standard_error']:.1g} %)"
    )
    assert row[3] == (f"{100 * of_models['least']:.3g} % to {100 * of_models['largest']:.3g} %")
    assert row[4] == of_models["design"]
    size = pair["verdict"]["expected_size"]
    assert texts_of(verdicts)[0][:2] == ["m0 − m1", "on data like these"]
    assert texts_of(verdicts)[0][4] == size["design"]
    assert texts_of(verdicts)[0][2].startswith(f"{100 * size['size']:.2g} %")


def test_exact_another_level_is_named_beside_the_studied_one() -> None:
    intervals, *_ = list_tables_of(make_result(level=0.9))
    assert "Those of this result have level 90" in intervals.notes[0]
    assert intervals.notes[0].startswith("Two-sided intervals of level 95 % by the same methods")
    assert intervals.notes != list_tables_of(make_result())[0].notes


def test_exact_a_result_without_a_studied_design_has_each_reason_once() -> None:
    result = make_result()
    reason = "No studied design is like this one: it has 4059 instances."
    (pair,) = result["comparisons"]
    models = result["models"].values()
    of_pair = pair["interval"], pair["relative"], pair["wins"]
    for interval in (*of_pair, *(i for m in models for i in m["recommended"].values())):
        interval.update(expected_coverage=None, expected_coverage_missing=reason)
    pair["verdict"].update(expected_size=None, expected_size_missing=reason)

    section = show({"kind": "losses", **result}).find_section("calibration")

    assert section is not None
    assert [*section.sentences] == [reason]
    assert not section.tables


def test_degenerate_a_design_that_was_not_studied_is_said_to_be_so() -> None:
    result = make_result()
    for model in result["models"].values():
        for interval in model["recommended"].values():
            interval["expected_coverage"] = None

    intervals, _ = list_tables_of(result)

    of_models = [row for row in texts_of(intervals) if row[0] == "All models"]
    assert len(of_models) == 2
    assert all(row[2:] == [NOT_STUDIED, "–", "–"] for row in of_models)


def test_exact_many_models_that_share_a_design_are_counted() -> None:
    result = make_result(6)
    odd, *others = result["models"].values()
    for interval in odd["recommended"].values():
        interval["expected_coverage"] = None

    intervals, verdicts = list_tables_of(result)

    assert {"m0", "5 models", "All differences"} <= {row[0] for row in texts_of(intervals)}
    assert len(others) == 5
    assert [row[0] for row in texts_of(verdicts)] == ["All differences"]


def test_degenerate_without_intervals_there_is_no_table() -> None:
    result = make_result()
    for model in result["models"].values():
        model["recommended"] = {}
    result["comparisons"] = []
    assert list_tables_of(result) == []


def test_exact_intervals_of_metrics_have_rows_of_their_own() -> None:
    kinds = ROOT / "service" / "thetahat_service" / "kinds"
    example = kinds / "cross_validation" / "example_result.json"
    result = json.loads(example.read_text(encoding="utf-8"))
    metrics = {name for model in result["models"].values() for name in model["metrics"]}
    first, *_ = result["models"].values()
    share = {"coverage": 0.95, "standard_error": 0.001, "least": 0.9, "largest": 0.97}
    for interval in first["recommended"].values():
        interval["expected_coverage"] = {**share, "design": "ten folds"}

    intervals, *_ = list_tables_of(result)

    assert metrics
    for name in metrics:
        rows = [row for row in texts_of(intervals) if row[0].startswith(f"{name_method(name)}: ")]
        assert {row[1] for row in rows} == {"of these trained models", "on data like these"}
        assert all(name_method(name) in row[4] for row in rows if row[2] != NOT_STUDIED)


def test_degenerate_a_result_without_a_direction_is_one_of_losses() -> None:
    result = make_result()
    tables = list_tables_of(result)
    del result["summary"]["better"]  # results of the first releases
    assert list_tables_of(result) == tables


def test_exact_the_shares_of_all_groups_at_once_are_shown_or_why_there_are_none() -> None:
    rng = np.random.default_rng(5)
    losses = {name: rng.normal(size=137).tolist() for name in "ab"}
    sizes = {"few": [60, 40, 25, 12], "small": [60, 40, 34, 3]}
    groups = {
        key: [f"{key}{place}" for place, size in enumerate(of_key) for _ in range(size)]
        for key, of_key in sizes.items()
    }
    result = thetahat.to_json(thetahat.evaluate(losses, blocks="holdout", groups=groups))
    rows = {str(row[0]): row for row in texts_of(list_tables_of(result)[0])}
    level = result["models"]["a"]["groups"]["few"]["simultaneous"]

    assert rows["all groups by few: all models"][2].startswith("94.3 %")
    assert rows["all groups by few: all models"][4] == level["expected_coverage"]["design"]
    assert rows["all groups by few: a − b"][2].startswith("94.8 %")
    assert rows["all groups by small: all models"][2] == NOT_STUDIED
    assert "3 rows in the smallest group" in rows["all groups by small: all models"][4]


def test_exact_the_shares_of_metrics_in_all_groups_are_shown_or_why_there_are_none() -> None:
    rng = np.random.default_rng(8)
    y = (rng.random(200) < 0.4).astype(int)
    scores = 0.5 + 0.2 * (y - 0.5 + rng.normal(size=200))
    result = thetahat.to_json(
        thetahat.evaluate_predictions(
            y.tolist(),
            {"m": (scores > 0.5).astype(int).tolist()},
            loss="zero_one",
            metrics={"hits": "recall", "f1": F1(average="macro")},
            blocks="holdout",
            groups={"g": [f"g{i // 40}" for i in range(200)]},
        )
    )
    groups = result["models"]["m"]["groups"]["g"]
    share = groups["simultaneous_metrics"]["hits"]["expected_coverage"]
    rows = {str(row[0]): row for row in texts_of(list_tables_of(result)[0])}
    section = build_groups_section(ModelsResult(result, {}))

    assert rows["hits in all groups by g: m"][4] == share["design"]
    assert rows["F1 in all groups by g: m"][2] == NOT_STUDIED
    assert section is not None
    notes = [note for table in section.tables for note in table.notes]
    shown = format_percent(share["coverage"])
    said = "Those of each metric do as well. They did in simulated samples of such data: hits in "
    assert f"{said}{shown}." in notes


def test_exact_groups_say_how_often_such_statements_held_or_why_it_is_not_known() -> None:
    rng = np.random.default_rng(9)
    losses = {"m": (rng.random(200) < 0.3).astype(int).tolist()}
    labels = {"two": ["a", "b"] * 100, "many": [f"g{i % 40}" for i in range(200)]}
    result = thetahat.to_json(thetahat.evaluate(losses, blocks="holdout", groups=labels))
    groups = result["models"]["m"]["groups"]
    section = build_groups_section(ModelsResult(result, {}))
    assert section is not None
    tables = [*section.tables, *section.more]
    notes = {table.caption: " ".join(table.notes) for table in tables}
    bound, gap = (
        format_percent(groups["two"][part]["expected_coverage"]["coverage"])
        for part in ("worst", "gaps")
    )
    missing = groups["many"]["simultaneous"]["expected_coverage_missing"]

    assert f"Such bounds held in {bound} of simulated samples" in notes["Worst group by two"]
    of_gap = notes["Gaps of m by two"]
    assert of_gap == f"Such intervals held in {gap} of simulated samples of such data."
    assert "hold at once at 95 %. " + missing in notes["m by many"]
    assert missing.startswith("No studied design is like this one: it has 40 groups")
    assert missing in notes["Worst group by many"]


def test_exact_the_shares_of_ratios_and_win_rates_are_shown_or_why_there_are_none() -> None:
    a, b = np.random.default_rng(6).gamma(2, size=(2, 20)).tolist()
    for cluster in (None, [place // 2 for place in range(20)]):
        result = thetahat.to_json(
            thetahat.evaluate(
                {"a": a, "b": b}, blocks="holdout", include=["relative", "wins"], cluster=cluster
            )
        )
        rows = {str(row[0]): row for row in texts_of(list_tables_of(result)[0])}
        for field, words in (("relative", "relative difference"), ("wins", "win rate")):
            *_, share, _, design = rows[f"{words}: a − b"]
            part = result["comparisons"][0][field]
            if cluster is not None:
                assert (share, design) == (NOT_STUDIED, part["expected_coverage_missing"])
            else:
                expected = part["expected_coverage"]
                assert share.startswith(f"{100 * expected['coverage']:.3g} %")
                assert design == expected["design"]


def test_exact_ratios_of_costs_have_their_share_and_caution() -> None:
    """Three of 50 rows are dear in one model: .751 in docs/results/edges/costs.md."""
    rng = np.random.default_rng(8)
    new, old = 0.5 * rng.lognormal(0, 0.3, 50), rng.lognormal(0, 0.3, 50)
    new[:3] *= 20
    losses = {"new": (np.arange(50) % 2).tolist(), "old": (np.arange(50) % 3 == 0).tolist()}
    cost = {"new": new.tolist(), "old": old.tolist()}
    result = thetahat.to_json(
        thetahat.evaluate(
            losses,
            blocks="holdout",
            cost=cost,
            gate=thetahat.Gate(model="new", against="old", cheaper_by=0.5),
            margin=0.1,
        )
    )
    share = result["comparisons"][0]["cost"]["expected_coverage"]
    rows = {row[0]: row for row in texts_of(list_tables_of(result)[0])}
    cautions = {each.code: each for each in show({"kind": "losses", **result}).cautions}

    (ratio,) = [row for name, row in rows.items() if name.startswith("ratio of costs: ")]
    assert ratio[2].startswith("75.1 %")
    assert ratio[4] == share["design"]
    assert any(name.startswith("cost: ") for name in rows)
    assert "cost of new against old" in cautions["covers_too_rarely"].subject
    assert result["gate"]["cost"]["expected_coverage"] == share
