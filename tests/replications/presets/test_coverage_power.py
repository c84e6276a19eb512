"""Length and power of the coverage study's intervals, and tables that get them afterwards."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from thetahat.analyses.studies.general_tables import list_interval_rows
from thetahat.analyses.studies.record_names import make_record_name
from thetahat.analyses.studies.record_reader import RecordReader
from thetahat.analyses.studies.result import StudyTable, make_table
from thetahat.values.monte_carlo_number import MonteCarloNumber
from thetahat_replications.edges.simulated_intervals import ORACLE
from thetahat_replications.kept_studies import read_kept_study
from thetahat_replications.one_partition.shipped_rows import SAME
from thetahat_replications.presets.interval_coverage import changed_rows
from thetahat_replications.presets.interval_coverage.cells import build_pair_cells
from thetahat_replications.presets.interval_coverage.kept_power import (
    FARTHEST,
    NOTE,
    ROWS_NOTE,
    add_to_rows,
    add_to_tables,
)
from thetahat_replications.presets.interval_coverage.power import (
    COLUMNS,
    measure_interval,
    measure_row,
)
from thetahat_replications.presets.interval_coverage.recommended import tabulate
from thetahat_replications.presets.interval_coverage.settings import build_settings
from thetahat_replications.presets.interval_coverage.study_parts import list_parts

pytestmark = pytest.mark.about("presets/interval_coverage")
REALS = (-math.inf, math.inf)
PAGES = Path("docs/results/interval_coverage")


@pytest.mark.parametrize("level", [0.95, 0.8])
def test_exact_the_ideal_interval_has_its_own_length_and_power(level: float) -> None:
    n = 20_000
    estimates = 7 + 2 * stats.norm.ppf((np.arange(n) + 0.5) / n)
    reach = 2 * stats.norm.ppf((1 + level) / 2)

    ends = estimates - reach, estimates + reach
    measured = measure_interval(estimates, ends, np.full(n, 7.0), level, REALS)

    # the standard deviation of these quantiles is 2 up to 3e-4
    for name in COLUMNS:
        assert measured[name].value == pytest.approx(1, abs=1e-3)


def test_by_hand_missing_intervals_and_impossible_values() -> None:
    """Errors -1, 0 and 1 have a deviation of 1, so values at -3 and 3 are to be excluded.

    Ends less the truth: (-2, 4), none, (-4, 2). Of losses from 0 on with a truth of 2 only the
    value above is possible.
    """
    truths = np.array([2.0, 2.0, 2.0, math.nan, 2.0])
    estimates = np.array([1.0, 2.0, 3.0, 9.0, math.nan])
    ends = np.array([[0, math.nan, -2, 0, 0], [6, math.nan, 4, 1, 1]])

    both = measure_interval(estimates, (ends[0], ends[1]), truths, 0.95, REALS)
    losses = measure_interval(estimates, (ends[0], ends[1]), truths, 0.95, (0.0, math.inf))
    difference = measure_interval(
        estimates, (ends[0], ends[1]), truths, 0.95, (0.0, 6.0), is_difference=True
    )

    assert both["power"].value == pytest.approx(2 / 6 / ORACLE)
    assert losses["power"].value == pytest.approx(1 / 3 / ORACLE)
    assert difference["power"].value == pytest.approx(2 / 6 / ORACLE)  # -6 to 6 about 2
    assert both["length"].value == pytest.approx(6 / (2 * stats.norm.ppf(0.975)))
    assert measure_interval(truths, (ends[0], ends[1]), truths, 0.95, REALS) == {}


def test_naive_power_of_the_rows_of_a_study() -> None:
    """A model and a difference, with a truth of each sample and with their average."""
    rng = np.random.default_rng(5)
    records = {}
    for model in ("a", "b"):
        truths = 0.3 + 0.01 * rng.standard_normal(40)
        records[make_record_name("s", model, "truths", "fold_models")] = truths
        records[make_record_name("s", model, "mean", "macro")] = truths + 0.05 * rng.normal(size=40)
    a, b = (records[make_record_name("s", model, "mean", "macro")] for model in ("a", "b"))
    records[make_record_name("s", "a|b", "mean", "macro")] = a - b
    for subject, target in product(("a", "a|b"), ("these_models", "these_sources")):
        mean = records[make_record_name("s", subject, "mean", "macro")]
        reach = 0.1 + 0.05 * rng.random(40)
        place = ("s", subject, "intervals", "t", target, "macro")
        records[make_record_name(*place, "lower")] = mean - reach
        records[make_record_name(*place, "upper")] = mean + reach
    rows = list(list_interval_rows(RecordReader(records), {"s": 0.95}))

    powers = {}
    for row in rows:
        subject, target = str(row["subject"]), str(row["target"])
        parts = [
            records[make_record_name("s", m, "truths", "fold_models")] for m in subject.split("|")
        ]
        truth = parts[0] - parts[1] if len(parts) == 2 else parts[0]
        if target == "these_sources":
            truth = np.full(40, truth.mean())
        mean = records[make_record_name("s", subject, "mean", "macro")]
        shift = 3 * np.std(mean - truth, ddof=1)
        place = ("s", subject, "intervals", "t", target, "macro")
        excluded = 0
        for r in range(40):
            lower = records[make_record_name(*place, "lower")][r]
            upper = records[make_record_name(*place, "upper")][r]
            excluded += int(truth[r] - shift < lower) + int(truth[r] + shift > upper)
        is_difference = "|" in subject
        measured = measure_row(
            RecordReader(records), row, 0.95, (0.0, 1.0), is_difference=is_difference
        )
        powers[subject, target] = measured["power"].value
        assert measured["power"].value == pytest.approx(excluded / 80 / ORACLE)

    assert len(set(powers.values())) == 4
    assert all(power is not None and 0.1 < power < 1 / ORACLE for power in powers.values())


def test_exact_the_shipped_rows_have_length_and_power() -> None:
    settings = {"line": build_settings()["line"]}
    (cell,) = build_pair_cells(settings, (32,), 0.95, 3, {})
    for row in tabulate([(cell, cell.study.run(0, 4))]):
        assert 0 < row["length"][0] < 20
        assert 0 <= row["power"][0] <= 1 / ORACLE + 1e-4


def _row(name: str, width: Any, power: float | None = None) -> dict[str, Any]:
    return {"name": name, "width": width, "power": power}


def test_by_hand_rows_get_the_power_of_the_same_interval() -> None:
    """Standard errors of .03 and .04 make .05 together."""
    within, beyond = 1 + 0.05 * (FARTHEST - 0.1), 1 + 0.05 * (FARTHEST + 0.1)
    kept = [_row(name, [1.0, 0.03]) for name in ("same", "other", "new")]
    kept += [_row("number", MonteCarloNumber(1.0, 0.03)), _row("no width", None)]
    drawn = [_row("same", [within, 0.04], 0.8), _row("other", [beyond, 0.04], 0.7)]
    drawn += [_row("number", MonteCarloNumber(within, 0.04), 0.6), _row("no width", None, 0.5)]

    joined = list(add_to_rows(kept, drawn, ("name",)))

    assert [row["power"] for row in joined] == [0.8, None, None, 0.6, 0.5]
    assert [row["width"] for row in joined] == [row["width"] for row in kept]


def test_exact_a_row_of_another_interval_is_found_and_replaced() -> None:
    """The kept table has one row of half today's width, without power, and one that is the same."""
    scheme = "clusters whole, 5-fold"
    (part,) = changed_rows.select_cells(list_parts(6, {}), {("line in clusters", 50, scheme)})
    (cell,) = part.cells
    drawn = list(tabulate([(cell, cell.study.run(0, 4))]))  # type: ignore[list-item]
    models = [row for row in drawn if (row["of"], row["target"]) == ("model", "these_sources")]
    stale, current = models
    stale["width"][1] = 0.0
    kept = [
        {**stale, "width": [stale["width"][0] / 2, 0.1], "power": None},
        {**current, "coverage": [0.5, 0.1]},
    ]
    other = {**stale, "n": 200}

    places = changed_rows.find_places([*kept, {**stale, "scheme": "holdout", "power": None}], [])
    replaced = list(changed_rows.replace_changed(kept, [stale, current, other], SAME))

    assert part.draws == changed_rows.DRAWS
    assert {row["scheme"] for row in drawn} == {scheme}
    assert places == {("line in clusters", 50, each) for each in (scheme, "holdout")}
    assert changed_rows.find_places(kept, ["holdout"]) == set()
    assert replaced == [stale, kept[1]]


def test_exact_the_shipped_rows_have_the_intervals_of_today() -> None:
    """What was left without power has a width that 1000 samples do not tell from the kept one."""
    study = json.loads(Path("thetahat/analyses/losses/recommended_coverage.json").read_text())

    assert {row["population"] for row in study["rows"] if row["power"] is None} == {
        "curve with heavy tails",
        "line, the same sources",
    }


def _restore(table: Any) -> StudyTable:
    rows = [
        {
            key: MonteCarloNumber(**cell) if isinstance(cell, dict) else cell
            for key, cell in row.items()
        }
        for row in table["rows"]
    ]
    return make_table(table["name"], table["title"], table["columns"], rows, table["note"])


def test_exact_the_kept_tables_are_those_of_their_cells() -> None:
    """Averages, the best intervals and notes follow from the kept cells; nothing else changes."""
    kept = {
        table["name"]: _restore(table) for table in read_kept_study("interval_coverage")["tables"]
    }

    joined = {
        table.name: table
        for table in add_to_tables(
            read_kept_study("interval_coverage")["tables"], list(kept.values())
        )
    }

    assert joined.keys() == kept.keys()
    for name, table in joined.items():
        assert table.note.endswith(NOTE)
        assert set(COLUMNS) <= set(table.columns)
        assert table == replace(kept[name], note=table.note)


def test_exact_pages_have_the_powers_of_the_kept_files() -> None:
    study = json.loads(Path("thetahat/analyses/losses/recommended_coverage.json").read_text())
    page = (PAGES / "recommended_coverage.md").read_text()
    cells = page.split("## Cell by cell\n\n")[1].splitlines()[2:]

    assert ROWS_NOTE in page
    assert changed_rows.NOTE in page
    assert len(cells) == len(study["rows"])
    for line, row in zip(cells, study["rows"], strict=True):
        shown = line.strip("| ").split(" | ")[8:10] if row["power"] else None
        if shown and row["length"]:
            assert shown == [f"{row[name][0]:.2f}" for name in COLUMNS]
    known = [row["power"][0] for row in study["rows"] if row["power"] is not None]
    assert len(known) > 0.8 * len(cells)
    assert 0 <= min(known) <= max(known) <= 1 / ORACLE + 1e-4
