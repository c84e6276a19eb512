"""The tables that results refer to: measured coverage of intervals, and errors of tests.

The library ships their numbers, so that a page can show them wherever the service is installed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.resources import files
from typing import Any, Final

from thetahat.analyses.studies.oracle_shares import add_oracles
from thetahat.analyses.studies.shipped_coverage import (
    COMMAND,
    average_coverage_of_losses,
    average_coverage_of_metrics,
)
from thetahat_presentation.document import Cell, Name, Number, Table
from thetahat_presentation.targets import describe_target

Row = Mapping[str, Any]

TITLES: Final = {
    "recommended_coverage": "Coverage of the recommended intervals",
    "metric_coverage": "Coverage of the recommended intervals of metrics",
    "agreement_coverage": "Coverage of the intervals of agreement",
    "cost_coverage": "Coverage of the intervals of ratios of costs",
    "groups_coverage": "Coverage of the intervals of all groups at once",
    "group_metrics_coverage": "Coverage of the intervals of a metric in all groups at once",
    "metric_gaps_coverage": "Coverage of the intervals of all gaps of a metric at once",
    "judge_coverage": "Coverage of intervals from labels and a judge's grades",
    "time_coverage": "Coverage of intervals of rows in the order of time",
    "probability_coverage": "Coverage of intervals about probabilities",
    "source_rates_coverage": "Coverage of intervals of error rates over sources",
    "paired_source_rates_coverage": "Coverage of intervals of differences of such rates",
    "relative_difference_coverage": "Coverage of sets of relative differences",
    "win_rate_coverage": "Coverage of intervals of win rates",
    "success_coverage": "Coverage of intervals of runs that succeed",
    "test_errors": "Errors of tests and verdicts",
}
"""The headings of the pages, in the order of the list of them."""
LENGTH_AND_POWER: Final = {"length": "Width over the ideal", "power": "Power of the ideal's"}
"""The headings of two columns, by the names in the shipped files."""
_ABOUT_POWER: Final = (
    "Width and power are shares of those of the normal interval that knows the SD of the estimate; "
    "power is how often an interval excludes a value three such SD from the true one."
)
ROUGH: Final = 0.01
"""A standard error of shares, which gives them three decimals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredTable:
    """A table that results refer to, as its page shows it."""

    title: str
    """The heading of the page."""
    sentences: Sequence[str]
    """What the numbers are."""
    tables: Sequence[Table]
    """The averages, and every case."""
    command: str
    """The command that makes the numbers again."""


@lru_cache(maxsize=8)
def describe_measured_table(name: str) -> MeasuredTable:
    """Return the table of that name, which is one of ``MEASURED_TABLES``."""
    return MEASURED_TABLES[name]()


def _describe_recommended() -> MeasuredTable:
    study = _read("thetahat.analyses.losses", "recommended_coverage.json")
    averages = [_build_average(row) for row in average_coverage_of_losses(study["rows"])]
    cases = [
        [
            Name(f"{row['population']}, {row['learner']}"),
            row["of"],
            Number(row["n"]),
            row["scheme"],
            describe_target(row["target"]),
            row["interval"] or "",
            Number(row["coverage"][0], row["coverage"][1], shows_error=True),
            *(_build_share(row[name] and row[name][0]) for name in LENGTH_AND_POWER),
            Number(row["repetitions"]),
        ]
        for row in study["rows"]
    ]
    place = "Case", "Of", "Rows", "Scheme", "Target", "Interval"
    headings = *place, "Coverage", *LENGTH_AND_POWER.values(), "Samples"
    return MeasuredTable(
        title=TITLES["recommended_coverage"],
        sentences=(
            "How often the recommended interval of level 95 % covered its own target in samples.",
            "The target is the mean loss of one model, or the difference of two models.",
            _ABOUT_POWER,
            "A result shows the row nearest to its own design as expected_coverage.",
        ),
        tables=(
            _build_average_table(("Of", "Scheme", "Target"), averages),
            Table(caption="Every case", columns=headings, rows=cases),
        ),
        command=COMMAND,
    )


def _describe_metrics() -> MeasuredTable:
    study = _read("thetahat.analyses.metrics", "metric_coverage.json")
    averages = [
        [Name(row["metric"]), row["of"], row["population"], *_build_average(row)[2:]]
        for row in average_coverage_of_metrics(study["rows"])
    ]
    headings = "Metric", "Of", "Population", "Target"
    return MeasuredTable(
        title=TITLES["metric_coverage"],
        sentences=(
            "How often the recommended interval of level 95 % of a metric covered its own target.",
            "Samples have 50 and 200 rows; few positives are 15 % of them.",
            _ABOUT_POWER,
        ),
        tables=(_build_average_table(headings, averages),),
        command=COMMAND,
    )


def _describe_test_errors() -> MeasuredTable:
    study = _read("thetahat.analyses.losses", "test_errors.json")
    studied = [dict(zip(study["columns"], values, strict=True)) for values in study["rows"]]
    groups: dict[tuple[str, str, str, str], list[Row]] = {}
    for row in add_oracles(studied, study["oracles"]):
        if row["own_null"] and row["power"] is not None:
            place = (row["subject"], row["name"], row["design"], row["target"])
            groups.setdefault(place, []).append(row)
    rows: list[list[Cell]] = []
    for (subject, name, design, target), group in sorted(groups.items()):
        sizes, powers = [row["size"] for row in group], [row["power"] for row in group]
        numbers = [_average(sizes), min(sizes), max(sizes), _average(powers)]
        words = study["designs"][design]["words"]
        shares = [row["of_oracle"] for row in group if row["of_oracle"] is not None]
        of_oracle: Cell = Number(_average(shares), ROUGH) if shares else ""
        cells = [*(Number(number, ROUGH) for number in numbers), of_oracle]
        about = describe_target(target)
        rows.append([Name(name), subject, words, about, Number(len(group)), *cells])
    of_cells = "Cells", "Size", "Least", "Largest", "Power", "Of the oracle's"
    headings = "Test", "Subject", "Design", "Target", *of_cells
    return MeasuredTable(
        title=TITLES["test_errors"],
        sentences=(
            "Size: how often tests at 5 % and verdicts called equally good models different.",
            "Power: how often they found the worse of two models.",
            "Of the oracle's: that power over the power of a test of two models that knows the SD.",
            "A result shows the size nearest to its own design as expected_size.",
        ),
        tables=(
            Table(
                caption="Averages over numbers of rows and losses",
                columns=headings,
                rows=rows,
            ),
        ),
        command="python -m thetahat_replications.test_errors",
    )


def _describe_edge(name: str, package: str) -> MeasuredTable:
    """Return the coverages of a table of ``thetahat_replications.edges``."""
    study = _read(package, f"{name}.json")
    rows: list[list[Cell]] = []
    for row in study["rows"]:
        of_row = row["coverage"]
        numbers = [of_row[key] for key in ("coverage", "standard_error", "least", "largest")]
        cells = [Number(number, ROUGH) for number in numbers]
        rows.append([Name(row["interval"]), Name(of_row["design"]), *cells])
    headings = "Interval of", "Design", "Coverage", "Standard error", "Least", "Largest"
    return MeasuredTable(
        title=TITLES[name],
        sentences=(
            "How often intervals of level 95 % covered in samples, by simulated design.",
            "A result shows the row nearest to its own design as expected_coverage.",
            "It shows none where a number of the design differs by more than a factor of 3.",
        ),
        tables=(Table(caption="Averages over populations", columns=headings, rows=rows),),
        command=f"python -m thetahat_replications.edges {study['page']}",
    )


_PACKAGES: Final = {
    "agreement_coverage": "thetahat.values",
    "cost_coverage": "thetahat.analyses.losses",
    "groups_coverage": "thetahat.analyses.groups",
    "group_metrics_coverage": "thetahat.analyses.metrics",
    "metric_gaps_coverage": "thetahat.analyses.metrics",
    "judge_coverage": "thetahat.variances",
    "time_coverage": "thetahat.variances",
    "probability_coverage": "thetahat.analyses.probabilities",
    "source_rates_coverage": "thetahat.intervals",
    "paired_source_rates_coverage": "thetahat.intervals",
    "relative_difference_coverage": "thetahat.analyses.losses",
    "win_rate_coverage": "thetahat.analyses.losses",
    "success_coverage": "thetahat.analyses.runs",
}
"""The packages with the tables of ``thetahat_replications.edges``."""
MEASURED_TABLES: Final[Mapping[str, Callable[[], MeasuredTable]]] = {
    "recommended_coverage": _describe_recommended,
    "metric_coverage": _describe_metrics,
    "test_errors": _describe_test_errors,
    **{name: partial(_describe_edge, name, package) for name, package in _PACKAGES.items()},
}
"""By the last part of the page's path."""


def _read(package: str, name: str) -> Any:
    return json.loads(files(package).joinpath(name).read_text(encoding="utf-8"))


def _average(numbers: Iterable[float]) -> float:
    values = list(numbers)
    return sum(values) / len(values)


def _build_average(row: Row) -> list[Cell]:
    """Return the subject, scheme or metric, target, and the numbers of an average."""
    numbers = [Number(row[key], ROUGH) for key in ("coverage", "error", "least", "largest")]
    about = describe_target(row["target"])
    measured = (_build_share(row[name]) for name in LENGTH_AND_POWER)
    return [row["of"], row.get("scheme", ""), about, Number(row["cells"]), *numbers, *measured]


def _build_share(share: float | None) -> Cell:
    return "" if share is None else Number(share, ROUGH)


def _build_average_table(headings: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Table:
    coverage = ("Coverage", "Standard error", "Least", "Largest")
    numbers = ("Cases", *coverage, *LENGTH_AND_POWER.values())
    return Table(
        caption="Averages over learners, populations and numbers of rows",
        columns=(*headings, *numbers),
        rows=rows,
    )
