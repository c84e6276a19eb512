"""How often the recommended intervals cover, for the field ``expected_coverage``.

The populations are those of the preset ``interval_coverage`` without methods that fit again and
without metrics, with two learners each and their difference. ``recommended_coverage.json`` is read
by the library, and ``recommended_coverage.md`` has the rule beside the one before it. Models that
were trained elsewhere, over tasks, have losses that are drawn directly (``benchmark_tasks``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from thetahat.analyses.studies.base import Records
from thetahat.analyses.studies.loss_records import RECOMMENDED
from thetahat.analyses.studies.record_names import SOURCES
from thetahat.analyses.studies.record_reader import RecordReader
from thetahat.analyses.studies.shipped_coverage import COMMAND, average_coverage_of_losses
from thetahat_replications import markdown_pages
from thetahat_replications.markdown_pages import write_table
from thetahat_replications.presets.interval_coverage import benchmark_tasks
from thetahat_replications.presets.interval_coverage.cell_selection import is_known, round_number
from thetahat_replications.presets.interval_coverage.cells import CoverageCell
from thetahat_replications.presets.interval_coverage.power import (
    ABOUT,
    COLUMNS,
    LENGTH,
    POWER,
    measure_row,
)
from thetahat_replications.presets.interval_coverage.settings import CLUSTER_SIZE, build_settings
from thetahat_replications.presets.interval_coverage.tables import (
    find_source_blocks,
    get_value_range,
)
from thetahat_replications.shipped_files import format_study_file

LEVEL: Final = 0.95
SIZES: Final = (50, 200, 1000)
_NADEAU_BENGIO: Final = ("student_t:nadeau_bengio",)
_TRAINED_MODELS: Final = ("normal:bayle_within",)
BEFORE: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    **{
        (scheme, "these_sources"): _NADEAU_BENGIO
        for scheme in (
            "5-fold",
            "10-fold",
            "repeated_k_fold",
            "random_subsampling",
            "five_by_two",
            "clusters cut, 5-fold",
        )
    },
    **{
        (scheme, "these_models"): _TRAINED_MODELS
        for scheme in ("5-fold", "10-fold", "repeated_k_fold", "five_by_two")
    },
    ("leave_one_out", "these_models"): ("normal:bayle_all_pairs",),
    ("holdout", "these_models"): ("wilson", "student_t:iid"),
    ("clusters whole, 5-fold", "these_sources"): ("student_t:theta_B",),
    **{
        (scheme, "these_models"): ("student_t:cluster_robust",)
        for scheme in ("clusters cut, 5-fold", "clusters cut, holdout", "clusters whole, 5-fold")
    },
}
"""The intervals that were recommended before the rules were calibrated, by scheme and target: the
first that could be built. Elsewhere the rule is the same."""

SECOND_LEARNERS: Final[Mapping[str, str]] = {
    "two classes, brier": "gaussian_naive_bayes",
    "curve with heavy tails": "nearest_neighbours",
    "classes in clusters": "gaussian_naive_bayes",
    "line in clusters": "nearest_neighbours",
}
"""The second learner of each population for which the preset has one."""
MODEL, DIFFERENCE = "model", "difference"
"""What a row is about: the mean loss of one model, or one model's minus the other's."""

DESIGNS: Final[Mapping[str, Mapping[str, object]]] = {
    "holdout": {"blocks": "holdout", "share": 1 / 3, "words": "a holdout of a third"},
    "5-fold": {"blocks": "random", "folds": 5, "words": "five folds"},
    "10-fold": {"blocks": "random", "folds": 10, "words": "ten folds"},
    "five_by_two": {
        "blocks": "random",
        "folds": 2,
        "repeated": True,
        "words": "five times two folds",
    },
    "repeated_k_fold": {
        "blocks": "random",
        "folds": 10,
        "repeated": True,
        "words": "five times ten folds",
    },
    "leave_one_out": {"blocks": "random", "single_rows": True, "words": "leave-one-out"},
    "random_subsampling": {"blocks": "subsamples", "words": "25 random draws of a tenth"},
    "leave_one_source_out": {
        "blocks": "source",
        "folds": 8,
        "words": "leave-one-source-out with eight in all",
    },
    "clusters cut, 5-fold": {
        "blocks": "random",
        "folds": 5,
        "clusters": "cut",
        "cluster_size": CLUSTER_SIZE,
        "words": "five folds that cut clusters of five rows",
    },
    "clusters cut, holdout": {
        "blocks": "holdout",
        "share": 1 / 3,
        "clusters": "whole",  # a test set has no other part that could share its clusters
        "cluster_size": CLUSTER_SIZE,
        "words": "a holdout with clusters of five rows",
    },
    "clusters whole, 5-fold": {
        "blocks": "source",
        "folds": 5,
        "clusters": "whole",
        "cluster_size": CLUSTER_SIZE,
        "words": "five folds of whole clusters of five rows",
    },
    **{
        f"{n_tasks} tasks{', clusters' if clusters else ''}": {
            "blocks": "source",
            "fixed": True,
            "folds": n_tasks,
            "clusters": clusters,
            "cluster_size": clusters and benchmark_tasks.CLUSTER_SIZE,
            "words": f"models trained elsewhere on {n_tasks} tasks"
            + (" with clusters of five rows" if clusters else ""),
        }
        for n_tasks in benchmark_tasks.N_TASKS
        for clusters in (None, "whole")
    },
}
"""What the library compares with a request's layout, by scheme of the study."""
VALUES: Final[Mapping[str, str]] = {
    "zero_one": "binary",
    "brier": "bounded",
    "squared": "unbounded",
}
"""What the losses of the study are like, by wire name."""
HEAVY: Final = "curve with heavy tails"
"""The population whose losses are ``heavy``: the caution ``heavy_tailed_losses`` is for them."""
NEXT_BEST: Final = (
    {"student_t", "normal", "skewness_corrected"},
    {
        "nadeau_bengio",
        "nadeau_bengio_calibrated",
        "instances_with_allowance",
        "bayle_within",
        "bayle_within_calibrated",
        "bayle_all_pairs",
        "bayle_all_pairs_calibrated",
        "cluster_robust",
        "cluster_robust_corrected",
        "iid",
    },
)
"""Intervals and variances whose coverage is kept too, for requests that name their methods."""
MOST_DIFFERENCE: Final = 0.02
"""By how much coverage and relative width of the recommended interval may differ from those of one
interval in all, which is not built where losses do not vary."""

_ABOUT: Final = (
    f"`{COMMAND} --seed {{seed}}`: how often the recommended interval of level {LEVEL:g} covers "
    "its own target, over generators, learners and 50, 200 and 1000 rows, without metrics and "
    "without methods that fit again. A *difference* is that of two learners on the same splits. "
    "*Before* is the interval that was recommended before the rules were calibrated; elsewhere "
    "the rule is the same. Errors are standard errors of the simulation. Each row of the second "
    "table says how many samples were drawn. " + ABOUT
)

DRAWN_LOSSES: Final = ("lognormal, 1.5", "zero or lognormal, 0.05")
"""Distributions of ``heavy_tails`` whose losses have a variance, unlike those of ``HEAVY``. Without
them the losses of every user with a heavy tail would be taken for losses without a variance."""

Row = dict[str, Any]


def tabulate_drawn_losses(rows: Sequence[Mapping[str, Any]], repetitions: int) -> Iterator[Row]:
    """Yield a row for each of ``DRAWN_LOSSES`` and size: a holdout whose losses are drawn directly.

    Parameters
    ----------
    rows : sequence of mapping
        The rows of ``heavy_tails.measure``.
    """
    share = DESIGNS["holdout"]["share"]
    assert isinstance(share, float)  # noqa: S101 - the share of a holdout
    by_case = {(row["distribution"], row["n"]): row for row in rows}
    for name in DRAWN_LOSSES:
        for n in SIZES:
            row = by_case[name, round(n * share)]
            built = row["varies"]  # without spread there is no interval that could cover
            shares = {
                "skewness_corrected:iid": row["skewness_corrected"] / built,
                "student_t:iid": row["t"] / built,
            }
            coverages = {
                interval: [
                    round(covers, 4),
                    round(math.sqrt(covers * (1 - covers) / (built * repetitions)), 4),
                ]
                for interval, covers in shares.items()
            }
            yield {
                "population": name,
                "loss": "drawn",
                "values": "heavy",
                "n": n,
                "repetitions": repetitions,
                "of": MODEL,
                "learner": "drawn losses",
                "scheme": "holdout",
                "target": "these_models",
                "interval": "skewness_corrected:iid",
                "coverage": coverages["skewness_corrected:iid"],
                "width": None,
                LENGTH: None,
                POWER: [round(row["skewness_corrected, power"], 4), None],
                "before": coverages["student_t:iid"],
                "others": coverages,
            }


def tabulate(cell_records: Iterable[tuple[CoverageCell, Records]]) -> Iterator[Row]:
    """Yield a row for each cell, scheme and target: the coverage of the recommended interval."""
    settings = build_settings()
    for cell, records in cell_records:
        tables = {table.name: table for table in cell.study.finish(records).tables}
        reader = RecordReader(records, find_source_blocks(cell))
        loss = settings[cell.population].loss
        place = {
            "population": cell.population,
            "loss": loss,
            "values": "heavy" if cell.population == HEAVY else VALUES[loss],
            "n": cell.n,
            "repetitions": len(records[SOURCES]),
        }
        yield from _judge_cell(place, tables["intervals"].rows, reader, get_value_range(cell))


def _judge_cell(
    place: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    reader: RecordReader,
    value_range: tuple[float, float],
) -> Iterator[Row]:
    by_interval = {
        (row["estimator"], row["subject"], row["target"], row["interval"]): row for row in rows
    }
    for (scheme, subject, target, interval), row in by_interval.items():
        if interval != RECOMMENDED or not is_known(row.get("coverage")):
            continue
        before = next(
            (
                earlier
                for name in BEFORE.get((scheme, target), (interval,))
                if is_known(
                    (earlier := by_interval.get((scheme, subject, target, name), {})).get(
                        "coverage"
                    )
                )
            ),
            None,
        )
        other_rows = {
            name: other
            for (*of_place, name), other in by_interval.items()
            if of_place == [scheme, subject, target] and name != interval
        }
        is_difference = "|" in subject
        measured = measure_row(reader, row, LEVEL, value_range, is_difference=is_difference)
        yield {
            **place,
            "of": DIFFERENCE if is_difference else MODEL,
            "learner": subject.replace("|", " - "),
            "scheme": scheme,
            "target": target,
            "interval": _find_same(row, other_rows),
            "coverage": round_number(row["coverage"]),
            "width": round_number(row["width"]),
            **{name: round_number(measured.get(name)) for name in COLUMNS},
            "before": None if before is None else round_number(before["coverage"]),
            "others": {
                name: round_number(other["coverage"])
                for name, other in sorted(other_rows.items())
                if _is_next_best(name) and is_known(other.get("coverage"))
            },
        }


def _is_next_best(name: str) -> bool:
    """Return whether an interval is recommended where a request leaves out better ones."""
    interval, _, variance = name.partition(":")
    return interval in NEXT_BEST[0] and variance in NEXT_BEST[1]


def _find_same(row: Mapping[str, Any], other_rows: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Return the interval that was recommended in nearly all repetitions, by coverage and width."""

    def distance(other: Mapping[str, Any]) -> float:
        numbers = [other.get("coverage"), other.get("width")]
        if not all(map(is_known, numbers)):
            return math.inf
        of_coverage = abs(other["coverage"].value - row["coverage"].value)
        return float(of_coverage + abs(other["width"].value / row["width"].value - 1))

    distances = {name: distance(other) for name, other in other_rows.items()}
    nearest = min(distances, key=lambda name: distances[name])
    return nearest if distances[nearest] <= MOST_DIFFERENCE else None


def write_page(rows: Sequence[Row], seed: int) -> str:
    """Return the page of the tables, in Markdown."""
    averages = (
        "of | scheme | target | cells | coverage | error | least | most | length | power | before"
        " | its least"
    )
    cells = (
        "population | learner | loss | rows | draws | scheme | target | coverage | length | power"
        " | before"
    )
    return markdown_pages.write_page(
        "Coverage of the recommended intervals",
        _ABOUT.format(seed=seed),
        write_table(averages.split(" | "), map(_write_average, average_coverage_of_losses(rows))),
        "## Cell by cell",
        write_table(cells.split(" | "), map(_write_cell, rows)),
    )


def _write_average(row: Mapping[str, Any]) -> tuple[str, ...]:
    before, least = (
        "" if row[name] is None else f"{row[name]:.3f}" for name in ("before", "least_before")
    )
    place = (str(row[name]) for name in ("of", "scheme", "target", "cells"))
    coverage, error = f"{row['coverage']:.3f}", f"{row['error']:.4f}"
    ends = f"{row['least']:.3f}", f"{row['largest']:.3f}"
    measured = ("" if row[name] is None else f"{row[name]:.2f}" for name in COLUMNS)
    return (*place, coverage, error, *ends, *measured, before, least)


def _write_cell(row: Row) -> tuple[str, ...]:
    value, error = row["coverage"]
    before = "" if row["before"] is None else f"{row['before'][0]:.3f}"
    names = ("population", "learner", "loss", "n", "repetitions", "scheme", "target")
    place = (str(row[name]) for name in names)
    measured = ("" if row[name] is None else f"{row[name][0]:.2f}" for name in COLUMNS)
    return (*place, f"{value:.3f} ({error:.3f})", *measured, before)


def write_files(rows: Sequence[Row], seed: int, output: Path, library: Path) -> None:
    """Write the page, and the file that the library reads, each into its folder."""
    schemes = list(DESIGNS)
    order = list(dict.fromkeys([*build_settings(), *(row["population"] for row in rows)]))
    ordered = sorted(
        rows,
        key=lambda row: (order.index(row["population"]), row["n"], schemes.index(row["scheme"])),
    )
    head = {"level": LEVEL, "seed": seed, "designs": DESIGNS}
    (library / "recommended_coverage.json").write_text(format_study_file(head, ordered))
    (output / "recommended_coverage.md").write_text(write_page(ordered, seed))
