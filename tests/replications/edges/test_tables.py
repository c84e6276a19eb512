"""The tables of inference at the edges, run with few repetitions."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from thetahat_replications.edges import (
    agreement,
    costs,
    metric_gaps,
    metrics_by_group,
    probabilities,
)
from thetahat_replications.edges.__main__ import find_tables, main
from thetahat_replications.edges.table import Table, write_page

TABLES = sorted(find_tables())
SPREADS = {
    "agreement",
    "agreements_with_few",
    "differences_with_few_errors",
    "groups",
    "many_looks",
    "metric_gaps",
    "metrics_at_limits",
    "metrics_by_group",
    "neighbouring_rows",
    "order_of_time",
    "probabilities",
    "ranks",
    "rare_errors_in_clusters",
    "runs_that_succeed",
    "time_ordered_splits",
}
"""Tables that have a standard deviation of their repetitions, and so need two of them."""


@pytest.mark.parametrize("name", TABLES)
def test_every_table_has_rows_and_a_kept_page(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # What covers is not looked at here.
    for module in (agreement, metric_gaps, metrics_by_group, probabilities):
        monkeypatch.setattr(module, "N_FOR_TRUTH", 1000)
    monkeypatch.setattr(costs, "N_FOR_SPREAD", 10)
    monkeypatch.setattr(probabilities, "RESAMPLES", 20)
    table = find_tables()[name](2 if name in SPREADS else 1, 1)

    kept = Path(f"docs/results/edges/{name}.md").read_text()
    assert table.rows
    assert kept.startswith(f"# {table.title}\n")
    assert f"| {' | '.join(table.columns)} |" in kept
    if name == "metrics_by_group":  # looked at here, because simulating all designs takes long
        assert [row[:2] for row in table.rows] == [
            (design.name, metric)
            for design in metrics_by_group.DESIGNS
            for metric in design.metrics
        ]


def test_every_kept_page_belongs_to_a_table() -> None:
    assert sorted(path.stem for path in Path("docs/results/edges").glob("*.md")) == TABLES


def test_every_kept_page_is_in_the_list_of_results() -> None:
    overview = Path("docs/results/README.md").read_text()

    assert [name for name in TABLES if f"(edges/{name}.md)" not in overview] == []


def test_by_hand_a_page_shows_shares_with_three_decimals() -> None:
    table = Table(
        title="T", about="About.", columns=("n", "share"), rows=((5, 0.05), (7, "-"), (9, np.nan))
    )

    assert write_page(table, "command") == (
        "# T\n\n`command`\n\nAbout.\n\n| n | share |\n| --- | --- |\n"
        "| 5 | 0.050 |\n| 7 | - |\n| 9 |  |\n"
    )


def test_invalid_a_row_with_a_missing_cell() -> None:
    with pytest.raises(ValueError, match="1 cells for 2 columns"):
        Table(title="T", about="", columns=("a", "b"), rows=((1,),))


def test_degenerate_the_command_refuses_an_unknown_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["edges", "nothing"])
    with pytest.raises(SystemExit) as ended:
        main()

    assert ended.value.code == 2
    assert "there is no table nothing" in capsys.readouterr().err
