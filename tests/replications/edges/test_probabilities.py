"""The study of intervals about probabilities, and the coverage that results name from it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from thetahat.analyses.probabilities.expected_coverage import PAGE, read_studied_designs
from thetahat_replications.edges import probabilities
from thetahat_replications.edges.probabilities import build_table, summarise_coverage

ROOT = Path(__file__).parents[3]


def read_page() -> dict[tuple[str, str, str, str], float]:
    """Return the share of each row of the kept page."""
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in (ROOT / PAGE).read_text().splitlines()
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
    for each in read_studied_designs():
        populations = each.design.split(": ", 1)[1].split("; ")
        clusters = "" if each.clusters is None else str(each.clusters)
        keys = [(each.quantity, name, str(each.n), clusters) for name in populations]
        shares = [page[key] for key in keys]
        seen |= set(keys)
        assert each.coverage == pytest.approx(sum(shares) / len(shares), abs=6e-4)
        assert (each.least, each.largest) == pytest.approx((min(shares), max(shares)), abs=6e-4)

    assert seen == set(page)


def test_exact_every_studied_interval_covers_in_nine_of_ten_samples() -> None:
    """What a design does not reach would need a caution and another interval."""
    assert min(each.least for each in read_studied_designs()) > 0.92
    sizes = re.findall(r"^[|] size of.*?[|] (0[.]\d+) [(]", (ROOT / PAGE).read_text(), re.MULTILINE)
    assert sizes
    assert all(0.03 <= float(size) <= 0.065 for size in sizes)


def test_exact_few_repetitions_have_the_rows_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probabilities, "N_FOR_TRUTH", 2000)
    monkeypatch.setattr(probabilities, "RESAMPLES", 20)
    table = build_table(2, 1)
    built = {(str(row[0]), str(row[1]), str(row[2]), str(row[3])) for row in table.rows}

    assert {key for key in built if not key[0].startswith("size of")} <= set(read_page())
    records = summarise_coverage(probabilities.measure(2, 1))
    assert {record["quantity"] for record in records} <= {key[0] for key in read_page()}
