"""The pages that expected_coverage and expected_size refer to."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from tests.presentation.reading import texts_of
from thetahat.analyses.losses import expected_coverage, expected_size
from thetahat.analyses.metrics import expected_coverage as of_metrics
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


@pytest.mark.parametrize("name", list(MEASURED_TABLES))
def test_exact_every_row_has_as_many_cells_as_headings(name: str) -> None:
    for table in describe_measured_table(name).tables:
        assert table.rows
        assert {len(row) for row in table.rows} == {len(table.columns)}
