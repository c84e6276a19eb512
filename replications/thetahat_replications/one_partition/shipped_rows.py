"""Rows of the shipped table of ``expected_coverage``, computed anew.

The whole table takes five hours (``benchmarks.coverage_study``). Here some of its rows are drawn
again, with the intervals alone that are recommended there: those about the expected loss over five
and ten folds, and those of differences of error rates on a holdout.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from thetahat.analyses.losses import Choices, ChosenMethod
from thetahat.intervals.skewness_corrected import SkewnessCorrected
from thetahat.intervals.student_t import StudentT
from thetahat.intervals.tango import Tango
from thetahat.variances.iid import Iid
from thetahat.variances.instances_with_allowance import InstancesWithAllowance
from thetahat.variances.nadeau_bengio import NadeauBengio
from thetahat_replications.presets.interval_coverage import changed_rows, kept_power, recommended
from thetahat_replications.presets.interval_coverage.cells import CoverageCell, build_pair_cells
from thetahat_replications.presets.interval_coverage.power import COLUMNS
from thetahat_replications.presets.interval_coverage.settings import build_settings

SAME: Final = ("population", "loss", "n", "of", "learner", "scheme", "target")
"""The fields by which a row finds the one whose place it takes."""
ANEW: Final = ("repetitions", "interval", "coverage", "width", *COLUMNS)
"""The fields that it brings; ``others`` keeps the intervals that only the whole study has."""

LIBRARY: Final = Path("thetahat/analyses/losses")
PAGE: Final = Path("docs/results/interval_coverage")


@dataclass(frozen=True, slots=True, kw_only=True)
class RedrawnRows:
    """Which rows are drawn again, and with which intervals."""

    note: str
    """The line of the page about them, as long as the whole study has not been run again."""
    schemes: tuple[str, ...]
    losses: tuple[str, ...]
    target: str
    usual: Mapping[str, str]
    """What is recommended, by what the row is about; other rows are not drawn. Where there is a
    fall-back, the average interval may be longer by more than the table takes for the same."""
    variances: tuple[Any, ...]
    intervals: tuple[Any, ...]


ONE_PARTITION: Final = RedrawnRows(
    note="The rows of 5-fold and 10-fold about these_sources are newer than the others: "
    "`python -m thetahat_replications.one_partition --ship` drew them again.",
    schemes=("5-fold", "10-fold"),
    losses=tuple(recommended.VALUES),
    target="these_sources",
    usual={
        recommended.MODEL: "skewness_corrected:instances_with_allowance",
        recommended.DIFFERENCE: "student_t:instances_with_allowance",
    },
    variances=(NadeauBengio(), InstancesWithAllowance()),
    intervals=(SkewnessCorrected(), StudentT()),
)
PAIRED_RATES: Final = RedrawnRows(
    note="The differences of zero-one losses on a holdout are newer than the others: "
    "`python -m thetahat_replications.one_partition --ship-rates` drew them again.",
    schemes=("holdout",),
    losses=("zero_one",),
    target="these_models",
    usual={recommended.DIFFERENCE: "tango"},
    variances=(Iid(),),
    intervals=(Tango(), StudentT()),
)
NOTES: Final = (ONE_PARTITION.note, PAIRED_RATES.note, changed_rows.NOTE, kept_power.ROWS_NOTE)

_ONLY_HERE: Final = InstancesWithAllowance().info.name
"""The variance that the whole study did not have."""

Row = dict[str, Any]


def build_redrawn_cells(what: RedrawnRows, n: int, seed: int) -> Iterator[CoverageCell]:
    """Yield the cells of independent rows, with these schemes and few intervals alone."""
    choices = Choices(
        level=recommended.LEVEL,
        tests=(),
        variances=tuple(map(_choose, what.variances)),
        intervals=tuple(map(_choose, what.intervals)),
    )
    settings = {
        name: setting
        for name, setting in build_settings(n).items()
        if setting.loss in what.losses and not (setting.by_source or setting.in_clusters)
    }
    cells = build_pair_cells(settings, (n,), recommended.LEVEL, seed, recommended.SECOND_LEARNERS)
    for cell in cells:
        estimators = [
            replace(estimator, choices=choices)
            for estimator in cell.study.estimators
            if estimator.key in what.schemes
        ]
        yield replace(cell, study=replace(cell.study, estimators=estimators))


def _choose(method: Any) -> ChosenMethod[Any]:
    return ChosenMethod(method.info.name, method.info.name, method)


def compute_rows(what: RedrawnRows, repetitions: Mapping[int, int], seed: int) -> Iterator[Row]:
    """Yield a row for each cell and scheme, by numbers of draws for each number of rows."""
    for n, draws in repetitions.items():
        for cell in build_redrawn_cells(what, n, seed):
            rows = recommended.tabulate([(cell, cell.study.run(0, draws))])
            for row in rows:
                if row["target"] == what.target and row["of"] in what.usual:
                    yield {**row, "interval": row["interval"] or what.usual[row["of"]]}


def replace_rows(rows: list[Row], anew: list[Row]) -> list[Row]:
    """Return the rows of the table, with those of the same place filled anew."""
    by_place = {tuple(row[name] for name in SAME): row for row in anew}
    replaced = []
    for row in rows:
        new = by_place.pop(tuple(row[name] for name in SAME), None)
        replaced.append(row if new is None else _fill(row, new))
    if by_place:
        raise ValueError(f"The table has no rows for {sorted(by_place)[:3]}.")
    return replaced


def _fill(row: Row, new: Row) -> Row:
    """Return the row with the new interval; the intervals that it had stay among the others.

    Of those the whole study has more draws, but of the ones on the newest variance it has none.
    """
    had = {row["interval"]: row["coverage"]} if row["interval"] else {}
    anew = {name: share for name, share in new["others"].items() if name.endswith(_ONLY_HERE)}
    others = {**new["others"], **row["others"], **had, **anew}
    return {**row, **{name: new[name] for name in ANEW}, "others": others}


def update_files(what: RedrawnRows, anew: list[Row]) -> int:
    """Write the table of the library and its page with the new rows; return how many there are."""
    study = read_study()
    write_rows(replace_rows(study["rows"], anew), study["seed"], what.note)
    return len(anew)


def read_study() -> Any:
    """Return the table of the library."""
    return json.loads((LIBRARY / "recommended_coverage.json").read_text())


def write_rows(rows: list[Row], seed: int, note: str) -> None:
    """Write the table of the library and its page, with a note after those that it has."""
    page = PAGE / "recommended_coverage.md"
    before = page.read_text().split("\n\n")[1].splitlines()
    notes = [each for each in NOTES if each == note or each in before]
    recommended.write_files(rows, seed, PAGE, LIBRARY)
    about = "\n".join(notes)
    page.write_text(page.read_text().replace("\n\n", f"\n\n{about}\n\n", 1))
