"""Verdicts in the shipped table of ``expected_size``, computed anew.

The whole study takes hours, most of them for tests that resample
(``python -m thetahat_replications.test_errors``). Here some verdicts alone are drawn again, with
the interval that is recommended now: those on the expected loss over one partition, and those of
paired error rates on a holdout. The rows of the interval that was recommended before stay in the
library's table, for results that have it, and leave the page.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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

SEED: Final = 17
"""The seed of the shipped study, so that the first draws are the same."""

TABLE: Final = Path("thetahat/analyses/losses/test_errors.json")
PAGE: Final = Path("docs/results/test_errors/test_errors.md")


@dataclass(frozen=True, slots=True, kw_only=True)
class RedrawnVerdicts:
    """Which verdicts are drawn again, and by which interval."""

    words: str
    """What they are, for the note on the page."""
    option: str
    """The option of the command that draws them."""
    schemes: tuple[str, ...]
    losses: tuple[str, ...]
    target: Target
    recommended: str
    """The usual interval, by whose name a result finds the row of the rule with its fall-backs."""
    before: str
    """The interval that was recommended before."""

    def has_cell(self, row: Mapping[str, Any]) -> bool:
        """Return whether a row is a verdict on the target in one of these designs."""
        in_design = row["design"] in self.schemes and row["loss"] in self.losses
        return bool(
            in_design and row["subject"] == "verdict" and row["target"] == self.target.value
        )

    def write_note(self, draws: int) -> str:
        """Return the line of the page that says which rows are newer than the rest."""
        return (
            f"{self.words}, and their words, are newer than the rest, plans and repeats among it: "
            f"`python -m thetahat_replications.one_partition {self.option} {draws}` drew them "
            f"again, {draws} samples of each cell."
        )


ONE_PARTITION: Final = RedrawnVerdicts(
    words="The verdicts of 5-fold and 10-fold about these_sources",
    option="--ship-verdicts",
    schemes=("5-fold", "10-fold"),
    losses=("zero_one", "squared"),
    target=Target.THESE_SOURCES,
    recommended="student_t:instances_with_allowance",
    before="student_t:nadeau_bengio",
)
PAIRED_RATES: Final = RedrawnVerdicts(
    words="The verdicts of zero-one losses on a holdout",
    option="--ship-rates",
    schemes=("holdout",),
    losses=("zero_one",),
    target=Target.THESE_MODELS,
    recommended="tango",
    before="student_t:iid",
)
REDRAWN: Final = (ONE_PARTITION, PAIRED_RATES)

Row = dict[str, Any]


def draw_verdicts(what: RedrawnVerdicts, draws: int, seed: int) -> tuple[list[Row], list[Row]]:
    """Return the rows and the words of all cells of these designs, as the study has them."""
    cells = [
        cell
        for cell in list_cells()
        if cell.design.name in what.schemes and cell.loss in what.losses
    ]
    records = {
        cell.name: concatenate(
            [_draw(cell, make_seed(seed, cell.name, i), what.target) for i in range(draws)]
        )
        for cell in cells
    }
    rows = (row for row in tabulate(records) if row["target"] == what.target.value)
    return flatten({**row, "name": what.recommended} for row in rows)


def _draw(cell: Cell, seed: int, target: Target) -> Records:
    """Return what the verdict rests on, by the names of the study; NaN of a refused sample."""
    try:
        experiment = run_experiment(cell, seed)
    except EvaluationError:
        return wrap({"mean/d": math.nan})
    means = {name: losses.moments.macro_mean for name, losses in experiment.table.models.items()}
    record = {f"mean/{pair}": means[pair] - means["a"] for pair in ("b", "c", "d")}
    truths = experiment.truths or {}
    of_truths = {f"truth/{pair}": truths[pair] - truths["a"] for pair in truths if pair != "a"}
    return wrap({**record, **of_truths, **record_bases(experiment.table, target)})


def replace_verdicts(rows: Sequence[Row], anew: Sequence[Row], what: RedrawnVerdicts) -> list[Row]:
    """Return the rows of the study with the new verdicts after the rows of the same cell.

    Verdicts by the same interval make way; those by the one recommended before stay.
    """
    by_cell: dict[tuple[Any, ...], list[Row]] = {}
    for row in anew:
        by_cell.setdefault(_find_place(row), []).append(row)
    same = {(*_find_place(row), row["name"]) for row in anew}
    kept = [
        row for row in rows if not (what.has_cell(row) and (*_find_place(row), row["name"]) in same)
    ]
    merged: list[Row] = []
    for row in kept:
        merged.append(row)
        if what.has_cell(row):
            merged.extend(by_cell.pop(_find_place(row), []))
    if by_cell:
        raise ValueError(f"The table has no verdicts for {sorted(by_cell)[:3]}.")
    return merged


def _find_place(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in PLACE)


def replace_words(words: Sequence[Row], anew: Sequence[Row]) -> list[Row]:
    """Return the words of the study, those of the same cell and target anew."""
    by_place = {(*_find_place(row), row["target"]): row for row in anew}
    return [by_place.get((*_find_place(row), row["target"]), row) for row in words]


def select_shown(rows: Sequence[Row]) -> list[Row]:
    """Return the rows without verdicts by the interval before, in cells that have today's."""
    names: dict[tuple[Any, ...], set[str]] = {}
    for row in rows:
        if row["subject"] == "verdict":
            names.setdefault((*_find_place(row), row["target"]), set()).add(row["name"])
    return [
        row
        for row in rows
        if not any(
            what.has_cell(row)
            and row["name"] == what.before
            and what.recommended in names[(*_find_place(row), row["target"])]
            for what in REDRAWN
        )
    ]


def update_files(what: RedrawnVerdicts, draws: int, seed: int = SEED) -> int:
    """Write the table of the library and its page with the new rows; return how many there are."""
    anew, words_anew = draw_verdicts(what, draws, seed)
    study = json.loads(TABLE.read_text())
    rows = replace_verdicts(_read_rows(study), anew, what)
    words = replace_words(study["words"], words_anew)
    others = [note for note in _read_notes() if not note.startswith(what.words)]
    _write_files(rows, words, study, [*others, what.write_note(draws)])
    return len(anew)


def _read_notes() -> list[str]:
    """Return the lines of the page about rows that are newer than the rest."""
    first = PAGE.read_text().split("\n\n")[1]
    return first.splitlines() if first.startswith(tuple(each.words for each in REDRAWN)) else []


def update_oracles(draws: int, seed: int = SEED) -> int:
    """Write both with the power of the oracle from so many samples; return how many there are."""
    study = json.loads(TABLE.read_text())
    study["oracles"] = list(list_oracles(draw_differences(seed, draws)))
    _write_files(_read_rows(study), study["words"], study, _read_notes())
    return len(study["oracles"])


def _read_rows(study: Mapping[str, Any]) -> list[Row]:
    return [dict(zip(COLUMNS, row, strict=True)) for row in study["rows"]]


def _write_files(
    rows: Sequence[Row], words: Sequence[Row], study: Mapping[str, Any], notes: Sequence[str]
) -> None:
    plans, repeats, oracles = (study[name] for name in ("plans", "repeats", "oracles"))
    numbers = {name: study[name] for name in ("seed", "repetitions", "costly")}
    TABLE.write_text(write_json(rows, words, plans, repeats, oracles, **numbers))
    shown = add_oracles(select_shown(rows), oracles)
    findings = write_findings(shown, words, plans, repeats)
    page = write_page(shown, words, plans, repeats, findings, **numbers, planned=PLANNED)
    about = "\n".join(notes)
    PAGE.write_text(page.replace("\n\n", f"\n\n{about}\n\n", 1) if notes else page)
