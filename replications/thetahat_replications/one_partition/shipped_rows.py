"""The rows of one partition in the shipped table of ``expected_coverage``, computed anew.

The whole table takes five hours (``benchmarks.coverage_study``). Here its independent rows are
drawn again for five and ten folds, with the intervals alone that are recommended over one
partition, and take the places of the rows about the expected loss. Heavy-tailed losses keep theirs:
the interval that is recommended for them is the same as before.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from thetahat.analyses.losses import Choices, ChosenMethod
from thetahat.intervals.skewness_corrected import SkewnessCorrected
from thetahat.intervals.student_t import StudentT
from thetahat.variances.nadeau_bengio import NadeauBengio
from thetahat.variances.nadeau_bengio_instances import NadeauBengioInstances
from thetahat_replications.presets.interval_coverage import recommended
from thetahat_replications.presets.interval_coverage.cells import CoverageCell, build_pair_cells
from thetahat_replications.presets.interval_coverage.settings import build_settings

SCHEMES: Final = ("5-fold", "10-fold")
TARGET: Final = "these_sources"
SAME: Final = ("population", "loss", "n", "of", "learner", "scheme", "target")
"""The fields by which a row finds the one whose place it takes."""
VARIANCE: Final = NadeauBengioInstances().info.name
"""The variance that only these rows have."""
USUAL: Final = {
    recommended.MODEL: "skewness_corrected:nadeau_bengio_instances",
    recommended.DIFFERENCE: "student_t:nadeau_bengio_instances",
}
"""What is recommended unless the folds differ, which may make the average interval longer by more
than the table takes for the same."""
ANEW: Final = ("repetitions", "interval", "coverage", "width")
"""The fields that it brings; ``others`` keeps the intervals that only the whole study has."""

LIBRARY: Final = Path("thetahat/analyses/losses")
PAGE: Final = Path("docs/results/interval_coverage")

NOTE: Final = (
    "The rows of 5-fold and 10-fold about these_sources are newer than the others: "
    "`python -m thetahat_replications.one_partition --ship` drew them again."
)
"""The beginning of the page, as long as the whole study has not been run again."""

Row = dict[str, Any]


def build_one_partition_cells(n: int, seed: int) -> Iterator[CoverageCell]:
    """Yield the cells of independent rows, with five and ten folds and few intervals alone."""
    choices = Choices(
        level=recommended.LEVEL,
        tests=(),
        variances=(_choose(NadeauBengio()), _choose(NadeauBengioInstances())),
        intervals=(_choose(SkewnessCorrected()), _choose(StudentT())),
    )
    settings = {
        name: setting
        for name, setting in build_settings(n).items()
        if not (setting.by_source or setting.in_clusters or name == recommended.HEAVY)
    }
    cells = build_pair_cells(settings, (n,), recommended.LEVEL, seed, recommended.SECOND_LEARNERS)
    for cell in cells:
        estimators = [
            replace(estimator, choices=choices)
            for estimator in cell.study.estimators
            if estimator.key in SCHEMES
        ]
        yield replace(cell, study=replace(cell.study, estimators=estimators))


def _choose(method: Any) -> ChosenMethod[Any]:
    return ChosenMethod(method.info.name, method.info.name, method)


def compute_rows(repetitions: Mapping[int, int], seed: int) -> Iterator[Row]:
    """Yield a row for each cell and scheme, by numbers of draws for each number of rows."""
    for n, draws in repetitions.items():
        for cell in build_one_partition_cells(n, seed):
            rows = recommended.tabulate([(cell, cell.study.run(0, draws))])
            for row in rows:
                if row["target"] == TARGET:
                    yield {**row, "interval": row["interval"] or USUAL[row["of"]]}


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

    Of those the whole study has more draws, but of the ones on the new variance it has none.
    """
    had = {row["interval"]: row["coverage"]} if row["interval"] else {}
    anew = {name: share for name, share in new["others"].items() if name.endswith(VARIANCE)}
    others = {**new["others"], **row["others"], **had, **anew}
    return {**row, **{name: new[name] for name in ANEW}, "others": others}


def update_files(anew: list[Row]) -> int:
    """Write the table of the library and its page with the new rows; return how many there are."""
    study = json.loads((LIBRARY / "recommended_coverage.json").read_text())
    recommended.write_files(replace_rows(study["rows"], anew), study["seed"], PAGE, LIBRARY)
    page = PAGE / "recommended_coverage.md"
    page.write_text(page.read_text().replace("\n\n", f"\n\n{NOTE}\n\n", 1))
    return len(anew)
