"""The kept studies on pages: every one is there, with its own numbers."""

from __future__ import annotations

import sys

import pytest

from tests.architecture.sources import ROOT
from tests.presentation.reading import texts_of
from thetahat_replications import kept_studies
from thetahat_replications.presets import PRESETS
from thetahat_service.errors import ResourceNotFound
from thetahat_service.figures.catalogue import list_figures
from thetahat_service.pages.kept_studies import find_table, list_kept_studies, read_kept_study
from thetahat_service.pages.measured_coverage import tabulate_coverage
from thetahat_service.pages.study_page import describe_kept_study


def test_exact_every_preset_has_a_kept_study_that_pages_show() -> None:
    assert set(list_kept_studies()) == set(PRESETS)


def test_degenerate_without_the_replications_no_study_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "thetahat_replications.kept_studies", None)

    assert list_kept_studies() == ()
    with pytest.raises(ResourceNotFound, match=r"thetahat\[studies\]"):
        read_kept_study("lecture_folds")
    assert find_table("interval_coverage", "summary") is None


@pytest.mark.parametrize("name", list(PRESETS))
def test_exact_a_page_has_the_claims_and_figures_of_its_study(name: str) -> None:
    stored = kept_studies.read_kept_study(name)

    result = read_kept_study(name)
    view = describe_kept_study(result)

    assert view.command == stored["command"]
    assert [row[0] for row in texts_of(view.tables[0])] == [c["text"] for c in stored["claims"]]
    assert {figure.name for figure in list_figures(result)} == {
        figure["name"] for figure in stored["figures"]
    }
    drawn = (ROOT / "docs/results" / name).glob("*.svg")
    assert {figure["name"] for figure in stored["figures"]} == {path.stem for path in drawn}


def test_invalid_a_study_that_is_not_kept() -> None:
    with pytest.raises(ResourceNotFound, match=r"'\.\./secrets' is kept"):
        read_kept_study("../secrets")


def test_exact_the_coverage_of_a_method_is_that_of_the_kept_table() -> None:
    stored = kept_studies.read_kept_study("interval_coverage")
    (table,) = [each for each in stored["tables"] if each["name"] == "summary"]
    expected = [row for row in table["rows"] if row["interval"].endswith(":bayle_within")]

    shown = tabulate_coverage("variances", "bayle_within")

    assert shown is not None
    assert len(shown.rows) == len(expected)
    for cells, row in zip(texts_of(shown), expected, strict=True):
        error = row["coverage"]["standard_error"]
        assert float(cells[4].split()[0]) == pytest.approx(row["coverage"]["value"], abs=error)
        assert float(cells[5]) == pytest.approx(row["least"], abs=1e-4)


@pytest.mark.parametrize("method", ["student_t", "bca", "studentised"])
def test_exact_intervals_have_their_coverage(method: str) -> None:
    table = tabulate_coverage("intervals", method)

    assert table is not None
    assert all(row[0].split(" on ")[0] == method for row in texts_of(table))


def test_degenerate_a_method_without_measured_coverage() -> None:
    assert tabulate_coverage("losses", "squared") is None
    assert tabulate_coverage("intervals", "no_such_interval") is None
