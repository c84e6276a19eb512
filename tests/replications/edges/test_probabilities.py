"""The study of intervals about probabilities, and the coverage that results name from it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from thetahat.values.kept_studies import StudiedInterval, read_studied_intervals
from thetahat_replications.edges import probabilities
from thetahat_replications.edges.table import KeptPage, build_table, write_page

PAGE = Path(__file__).parents[3] / "docs/results/edges/probabilities.md"


def list_studied() -> list[StudiedInterval]:
    """Return what results read of all quantities."""
    package, file = "thetahat.analyses.probabilities", "probability_coverage.json"
    quantities = {key[0] for key in read_page()}
    return [
        each
        for quantity in sorted(quantities)
        for each in read_studied_intervals(package, file, quantity)
    ]


def read_page() -> dict[tuple[str, str, str, str], float]:
    """Return the share of each row of the kept page."""
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in PAGE.read_text().splitlines()
        if line.startswith("|")
    ]
    return {
        (row[0], row[1], row[2], row[3]): float(row[5].split()[0])
        for row in rows[2:]
        if not row[0].startswith("size of")
    }


def test_exact_results_name_the_coverage_of_the_kept_page() -> None:
    page = read_page()
    seen = set()
    for each in list_studied():
        populations = each.expected.design.split(": ", 1)[1].split("; ")
        n, clusters = (round(each.numbers.get(noun, 0)) for noun in ("rows", "clusters"))
        keys = [(each.interval, name, str(n), str(clusters or "")) for name in populations]
        shares = [page[key] for key in keys]
        seen |= set(keys)
        assert each.expected.coverage == pytest.approx(sum(shares) / len(shares), abs=1e-4)
        assert (each.expected.least, each.expected.largest) == (min(shares), max(shares))

    assert seen == set(page)


def test_exact_every_studied_interval_covers_in_nine_of_ten_samples() -> None:
    """What a design does not reach would need a caution and another interval."""
    assert min(each.expected.least for each in list_studied()) > 0.92
    sizes = re.findall(r"^[|] size of.*?[|] (0[.]\d+) [(]", PAGE.read_text(), re.MULTILINE)
    assert sizes
    assert all(0.03 <= float(size) <= 0.065 for size in sizes)


def test_exact_few_repetitions_have_the_rows_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probabilities, "N_FOR_TRUTH", 2000)
    monkeypatch.setattr(probabilities, "RESAMPLES", 20)
    table = build_table(probabilities, 2, 1)
    built = {(str(row[0]), str(row[1]), str(row[2]), str(row[3])) for row in table.rows}

    assert {key for key in built if not key[0].startswith("size of")} <= set(read_page())
    page = KeptPage.read(write_page(table, "nothing --repetitions 2"))
    shares = [share for shares in probabilities.collect_shares(page) for share in shares]
    assert {share.interval for share in shares} <= {key[0] for key in read_page()}
    assert {share.repetitions for share in shares} <= {1, 2}
