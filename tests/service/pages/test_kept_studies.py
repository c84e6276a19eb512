"""The kept studies on pages: every one is there, with the numbers of docs/results."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from thetahat_service.errors import ResourceNotFound
from thetahat_service.figures.catalogue import list_figures
from thetahat_service.pages.kept_studies import list_kept_studies, read_kept_study
from thetahat_service.pages.measured_coverage import tabulate_coverage
from thetahat_service.pages.study_page import describe_kept_study

ROOT = Path(__file__).parents[3]
RESULTS = sorted((ROOT / "docs" / "results").glob("*/result.json"))


def test_exact_every_kept_study_is_shipped_and_shown() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]

    assert wheel["force-include"] == {
        str(
            path.relative_to(ROOT)
        ): f"service/thetahat_service/pages/kept_studies/{path.parent.name}.json"
        for path in RESULTS
    }
    assert list_kept_studies() == tuple(path.parent.name for path in RESULTS)


@pytest.mark.parametrize("name", [path.parent.name for path in RESULTS])
def test_exact_a_page_has_the_claims_and_figures_of_its_study(name: str) -> None:
    stored = json.loads((ROOT / "docs" / "results" / name / "result.json").read_text())

    result = read_kept_study(name)
    view = describe_kept_study(result)

    assert view.command == stored["command"]
    assert [row[0] for row in view.tables[0].rows] == [c["text"] for c in stored["claims"]]
    assert {figure.name for figure in list_figures(result)} == {
        figure["name"] for figure in stored["figures"]
    }


def test_invalid_a_study_that_is_not_kept() -> None:
    with pytest.raises(ResourceNotFound, match=r"'\.\./secrets' is kept"):
        read_kept_study("../secrets")


def test_exact_the_coverage_of_a_method_is_that_of_the_kept_table() -> None:
    stored = json.loads((ROOT / "docs/results/interval_coverage/result.json").read_text())
    (table,) = [each for each in stored["tables"] if each["name"] == "summary"]
    expected = [row for row in table["rows"] if row["interval"].endswith(":bayle_within")]

    shown = tabulate_coverage("variances", "bayle_within")

    assert shown is not None
    assert len(shown.rows) == len(expected)
    for cells, row in zip(shown.rows, expected, strict=True):
        error = row["coverage"]["standard_error"]
        assert float(cells[4].split()[0]) == pytest.approx(row["coverage"]["value"], abs=error)
        assert cells[5] == f"{row['least']:.3f}"


@pytest.mark.parametrize("method", ["student_t", "bca", "studentised"])
def test_exact_intervals_have_their_coverage(method: str) -> None:
    table = tabulate_coverage("intervals", method)

    assert table is not None
    assert all(row[0].split(" on ")[0] == method for row in table.rows)


def test_degenerate_a_method_without_measured_coverage() -> None:
    assert tabulate_coverage("losses", "squared") is None
    assert tabulate_coverage("intervals", "no_such_interval") is None
