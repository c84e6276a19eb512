"""The files that ``expected_coverage`` reads have the numbers of the kept pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.architecture.sources import ROOT
from thetahat.analyses.groups.expected_coverage import STUDIED_IMBALANCE
from thetahat.values.clusters import compute_imbalance
from thetahat.variances._judge_coverage import ALONE, INTERVAL, TUNED
from thetahat_replications.edges.groups import DESIGNS
from thetahat_replications.edges.shipped_coverage import LIBRARY, STUDIES, ShippedStudy, write_study
from thetahat_replications.edges.table import KeptPage, Table, write_page

PAGES = ROOT / "docs/results/edges"


def read_rows(name: str) -> list[dict[str, Any]]:
    """Return the rows of a shipped file."""
    (study,) = [study for study in STUDIES if study.page == name]
    rows: list[dict[str, Any]] = json.loads((ROOT / LIBRARY / study.file).read_text())["rows"]
    return rows


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.page)
def test_exact_shipped_files_are_those_of_the_kept_pages(study: ShippedStudy) -> None:
    assert (ROOT / LIBRARY / study.file).read_text() == write_study(study, PAGES)


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.page)
def test_exact_a_wrong_number_is_found(study: ShippedStudy, tmp_path: Path) -> None:
    """Each number that is shipped changes the file if the page has another one."""
    page = PAGES / f"{study.page}.md"
    shares = [
        share for shares in study.collect(KeptPage.read(page.read_text())) for share in shares
    ]
    share = f"{shares[-1].share:.3f}"
    lines = page.read_text().splitlines(keepends=True)
    places = [i for i, line in enumerate(lines) if line.startswith("|") and share in line]
    (tmp_path / page.name).write_text(
        "".join(
            line.replace(share, "0.123") if i in places else line for i, line in enumerate(lines)
        )
    )

    assert write_study(study, tmp_path) != (ROOT / LIBRARY / study.file).read_text()


def test_hand_groups_are_averaged_over_designs_alike() -> None:
    """.932 and .950 of 1000 samples each: five groups, the smallest of 20 and of 15 rows."""
    (row,) = [
        row
        for row in read_rows("groups")
        if (row["interval"], row["data"]) == ("means of all groups", "rates")
        and "clusters with rows in several groups" not in row["numbers"]
        and row["numbers"]["rows in the smallest group"] < 40
    ]

    assert row["numbers"]["groups"] == 5
    assert row["numbers"]["rows in the smallest group"] == 17.5
    # 100 * .1; 15 * .3 + 20 * .2 + 40 * .1 + 60 * .05 + 100 * .1
    assert row["numbers"]["rows of the rarer value"] == round((10 + 25.5) / 2, 1)
    assert row["coverage"]["coverage"] == 0.941
    assert row["coverage"]["standard_error"] == round((0.941 * 0.059 / 2000) ** 0.5, 4)
    assert (row["coverage"]["least"], row["coverage"]["largest"]) == (0.932, 0.95)


def test_hand_the_level_that_lognormal_groups_miss_is_said() -> None:
    """.865 of five lognormal groups, and .814 of twelve, are the least of skewed numbers."""
    rows = [row for row in read_rows("groups") if row["data"] == "skewed numbers"]
    means = [row for row in rows if row["interval"] == "means of all groups"]

    assert sorted(row["coverage"]["least"] for row in means)[:2] == [0.814, 0.865]


def test_exact_gaps_of_more_groups_than_are_compared_are_no_design() -> None:
    rows = read_rows("groups")

    assert max(row["numbers"]["groups"] for row in rows) == 30
    gaps = [row for row in rows if row["interval"] == "gaps between all groups"]
    assert max(row["numbers"]["groups"] for row in gaps) == 12


@pytest.mark.parametrize(("clusters", "share"), [(30, 0.945), (10, 0.943)])
def test_hand_groups_in_shared_clusters_have_four_times_as_many_samples(
    clusters: int, share: float
) -> None:
    """Gaps of four groups of 50 rows, by the number of clusters that they share."""
    (row,) = [
        row
        for row in read_rows("groups")
        if (row["interval"], row["data"]) == ("gaps between all groups", "numbers")
        and row["numbers"].get("clusters with rows in several groups") == clusters
    ]

    assert row["coverage"]["coverage"] == share
    assert row["coverage"]["standard_error"] == round((share * (1 - share) / 4000) ** 0.5, 4)


def test_hand_few_rare_labels_of_a_stratum_are_a_design_of_their_own() -> None:
    with_grades, tuned, row = (
        row for row in read_rows("judge_labels") if "strata" in row["numbers"]
    )

    assert row["numbers"]["labels of the rarer value in a stratum"] == 4  # 40 labels of rate .1
    assert [each["interval"] for each in (with_grades, tuned, row)] == [INTERVAL, TUNED, ALONE]
    assert "rows without a label" in tuned["numbers"]
    assert "rows without a label" not in row["numbers"]
    assert row["coverage"]["coverage"] == 0.937
    row = with_grades
    assert row["coverage"]["coverage"] == 0.922
    assert row["coverage"]["standard_error"] == round((0.922 * 0.078 / 1000) ** 0.5, 4)


def test_hand_two_series_of_one_correlation_are_averaged() -> None:
    """.884 of the autoregression and .874 of the errors, both at .5 and 100 times."""
    (row,) = [
        row
        for row in read_rows("order_of_time")
        if (row["interval"], row["data"]) == ("newey_west", "0.5")
        and row["numbers"] == {"times": 100}
    ]

    assert row["coverage"]["coverage"] == 0.879
    assert (row["coverage"]["least"], row["coverage"]["largest"]) == (0.874, 0.884)


def test_exact_a_page_is_read_as_it_was_written() -> None:
    table = Table(title="T", about="About.", columns=("a", "b"), rows=(("x", 0.5), ("y", 2)))
    page = KeptPage.read(write_page(table, "python -m x --repetitions 7 --seed 1"))

    assert page.repetitions == 7
    assert page.rows == ({"a": "x", "b": "0.500"}, {"a": "y", "b": "2"})
    with pytest.raises(ValueError, match="command"):
        KeptPage.read(write_page(table, "nothing"))


def test_exact_the_clusters_of_groups_are_as_unequal_as_results_are_told() -> None:
    """They have from 2 to 20 rows, scaled to the rows of the design."""
    of_designs = [
        compute_imbalance(np.bincount(design.clusters))
        for design in DESIGNS
        if design.clusters is not None
    ]

    assert len(of_designs) == 3
    assert np.mean(of_designs) == pytest.approx(STUDIED_IMBALANCE, abs=0.05)
