"""The pages that expected_coverage and expected_size refer to."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from tests.presentation.reading import texts_of
from thetahat.analyses.losses import expected_coverage, expected_size
from thetahat.analyses.metrics import expected_coverage as of_metrics
from thetahat_presentation.targets import describe_target
from thetahat_replications.edges.shipped_coverage import STUDIES
from thetahat_service.pages.coverage_tables import MEASURED_TABLES, describe_measured_table

TABLES = (
    expected_coverage.TABLE,
    expected_size.TABLE,
    of_metrics.TABLE,
    *(study.table for study in STUDIES),
)


@pytest.mark.parametrize("table", TABLES)
def test_exact_every_reference_of_a_result_has_its_page(table: str) -> None:
    start, name = table.rsplit("/", 1)

    assert start == "/studies"
    assert name in MEASURED_TABLES


def test_naive_the_averages_are_those_of_the_shipped_rows() -> None:
    text = files("thetahat.analyses.losses").joinpath("recommended_coverage.json").read_text()
    rows = json.loads(text)["rows"]
    averages, every = describe_measured_table("recommended_coverage").tables

    assert len(every.rows) == len(rows)
    place = ("difference", "10-fold", "these_sources")
    values = [
        row["coverage"][0] for row in rows if (row["of"], row["scheme"], row["target"]) == place
    ]
    (shown,) = [row for row in texts_of(averages) if row[:3] == [*place[:2], "on data like these"]]
    assert shown[3:5] == [str(len(values)), f"{sum(values) / len(values):.3f}"]
    assert shown[6] == f"{min(values):.3f}"


def test_naive_the_powers_of_metrics_are_those_of_the_shipped_rows() -> None:
    text = files("thetahat.analyses.metrics").joinpath("metric_coverage.json").read_text()
    rows = json.loads(text)["rows"]
    (averages,) = describe_measured_table("metric_coverage").tables
    place = ("specificity", "model", "few positives", "these_models")
    names = ("metric", "of", "population", "target")
    of_place = [row for row in rows if tuple(row[name] for name in names) == place]
    words = [*place[:3], describe_target("these_models")]
    (shown,) = [row for row in texts_of(averages) if row[:4] == words]

    assert len(of_place) == 8
    for text, name in zip(shown[-2:], ("length", "power"), strict=True):
        values = [row[name][0] for row in of_place if row[name] is not None]
        assert text == f"{sum(values) / len(values):.3f}"


@pytest.mark.parametrize("name", list(MEASURED_TABLES))
def test_exact_every_row_has_as_many_cells_as_headings(name: str) -> None:
    for table in describe_measured_table(name).tables:
        assert table.rows
        assert {len(row) for row in table.rows} == {len(table.columns)}


def test_naive_the_power_is_also_a_share_of_the_oracles() -> None:
    text = files("thetahat.analyses.losses").joinpath("test_errors.json").read_text()
    study = json.loads(text)
    rows = [dict(zip(study["columns"], row, strict=True)) for row in study["rows"]]
    (table,) = describe_measured_table("test_errors").tables
    place = ("verdict", "10-fold", "these_sources")
    shares: dict[str, list[float]] = {}
    for row in rows:
        if (row["subject"], row["design"], row["target"]) != place or not row["own_null"]:
            continue
        (oracle,) = [
            each["power"]
            for each in study["oracles"]
            if all(each[key] == row[key] for key in ("design", "loss", "n", "trained", "target"))
        ]
        shares.setdefault(row["name"], []).append(row["power"] / oracle)

    words = study["designs"]["10-fold"]["words"]
    of_place = [place[0], words, "on data like these"]
    shown = {row[0]: row for row in texts_of(table) if row[1:4] == of_place}
    assert shares
    assert {name: row[-1] for name, row in shown.items()} == {
        name: f"{sum(values) / len(values):.3f}" for name, values in shares.items()
    }
    assert {row[-1] for row in texts_of(table) if row[1] == "multiple"} == {""}
