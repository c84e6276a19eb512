"""The verdicts over one partition in the shipped table of ``expected_size``, computed anew.

The whole study takes hours, most of them for tests that resample
(``python -m thetahat_replications.test_errors``). Here the verdicts on the expected loss alone are
drawn again, with the interval that is recommended now. The rows of the interval that was
recommended before stay in the library's table, for results whose folds differ, and leave the page.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from thetahat.analyses.studies.oracle_shares import add_oracles
from thetahat.errors import EvaluationError
from thetahat.values.types import Target
from thetahat_replications.test_errors.__main__ import COLUMNS, PLACE, PLANNED, flatten, write_json
from thetahat_replications.test_errors.designs import Cell, list_cells
from thetahat_replications.test_errors.findings import write_findings
from thetahat_replications.test_errors.oracles import draw_differences, list_oracles
from thetahat_replications.test_errors.page import write_page
from thetahat_replications.test_errors.repetitions import make_seed, record_bases, run_experiment
from thetahat_replications.test_errors.simulation import Records, concatenate, wrap
from thetahat_replications.test_errors.tables import tabulate

SCHEMES: Final = ("5-fold", "10-fold")
TARGET: Final = Target.THESE_SOURCES
RECOMMENDED: Final = "student_t:nadeau_bengio_instances"
"""The usual interval, by whose name a result finds the row of the rule with its fall-backs."""
RECOMMENDED_BEFORE: Final = "student_t:nadeau_bengio"
SEED: Final = 17
"""The seed of the shipped study, so that the first draws are the same."""

TABLE: Final = Path("thetahat/analyses/losses/test_errors.json")
PAGE: Final = Path("docs/results/test_errors/test_errors.md")

NOTE: Final = (
    "The verdicts of 5-fold and 10-fold about these_sources, and their words, are newer than the "
    "rest, plans and repeats among it: `python -m thetahat_replications.one_partition "
    "--ship-verdicts {draws}` drew them again, {draws} samples of each cell."
)

Row = dict[str, Any]


def draw_verdicts(draws: int, seed: int) -> tuple[list[Row], list[Row]]:
    """Return the rows and the words of all cells with these schemes, as the study has them."""
    cells = [cell for cell in list_cells() if cell.design.name in SCHEMES]
    records = {
        cell.name: concatenate([_draw(cell, make_seed(seed, cell.name, i)) for i in range(draws)])
        for cell in cells
    }
    rows = (row for row in tabulate(records) if row["target"] == TARGET.value)
    return flatten({**row, "name": RECOMMENDED} for row in rows)


def _draw(cell: Cell, seed: int) -> Records:
    """Return what the verdict rests on, by the names of the study; NaN of a refused sample."""
    try:
        table = run_experiment(cell, seed).table
    except EvaluationError:
        return wrap({"mean/d": math.nan})
    means = {name: losses.moments.macro_mean for name, losses in table.models.items()}
    differences = {f"mean/{pair}": means[pair] - means["a"] for pair in ("b", "c", "d")}
    return wrap({**differences, **record_bases(table, TARGET)})


def replace_verdicts(rows: Sequence[Row], anew: Sequence[Row]) -> list[Row]:
    """Return the rows of the study with the new verdicts after the rows of the same cell.

    Verdicts by the same interval make way; those by the one recommended before stay.
    """
    by_cell: dict[tuple[Any, ...], list[Row]] = {}
    for row in anew:
        by_cell.setdefault(_find_place(row), []).append(row)
    same = {(*_find_place(row), row["name"]) for row in anew}
    kept = [
        row for row in rows if not (_is_verdict(row) and (*_find_place(row), row["name"]) in same)
    ]
    merged: list[Row] = []
    for row in kept:
        merged.append(row)
        if _is_verdict(row):
            merged.extend(by_cell.pop(_find_place(row), []))
    if by_cell:
        raise ValueError(f"The table has no verdicts for {sorted(by_cell)[:3]}.")
    return merged


def _find_place(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in PLACE)


def _is_verdict(row: Mapping[str, Any]) -> bool:
    return bool(row["subject"] == "verdict" and row["target"] == TARGET.value)


def replace_words(words: Sequence[Row], anew: Sequence[Row]) -> list[Row]:
    """Return the words of the study, those of the same cell and target anew."""
    by_place = {(*_find_place(row), row["target"]): row for row in anew}
    return [by_place.get((*_find_place(row), row["target"]), row) for row in words]


def select_shown(rows: Sequence[Row]) -> list[Row]:
    """Return the rows without verdicts by the interval before, in cells that have today's."""
    places = {_find_place(row) for row in rows if row["name"] == RECOMMENDED}
    return [
        row
        for row in rows
        if not (
            _is_verdict(row) and row["name"] == RECOMMENDED_BEFORE and _find_place(row) in places
        )
    ]


def update_files(draws: int, seed: int = SEED) -> int:
    """Write the table of the library and its page with the new rows; return how many there are."""
    anew, words_anew = draw_verdicts(draws, seed)
    study = json.loads(TABLE.read_text())
    rows = replace_verdicts(_read_rows(study), anew)
    words = replace_words(study["words"], words_anew)
    _write_files(rows, words, study, NOTE.format(draws=draws))
    return len(anew)


def update_oracles(draws: int, seed: int = SEED) -> int:
    """Write both with the power of the oracle from so many samples; return how many there are."""
    study = json.loads(TABLE.read_text())
    study["oracles"] = list(list_oracles(draw_differences(seed, draws)))
    note = PAGE.read_text().split("\n\n")[1]
    _write_files(_read_rows(study), study["words"], study, note)
    return len(study["oracles"])


def _read_rows(study: Mapping[str, Any]) -> list[Row]:
    return [dict(zip(COLUMNS, row, strict=True)) for row in study["rows"]]


def _write_files(
    rows: Sequence[Row], words: Sequence[Row], study: Mapping[str, Any], note: str
) -> None:
    plans, repeats, oracles = (study[name] for name in ("plans", "repeats", "oracles"))
    numbers = {name: study[name] for name in ("seed", "repetitions", "costly")}
    TABLE.write_text(write_json(rows, words, plans, repeats, oracles, **numbers))
    shown = add_oracles(select_shown(rows), oracles)
    findings = write_findings(shown, words, plans, repeats)
    page = write_page(shown, words, plans, repeats, findings, **numbers, planned=PLANNED)
    PAGE.write_text(page.replace("\n\n", f"\n\n{note}\n\n", 1))
