"""How often recommended intervals covered in the studied designs nearest to an evaluation.

The numbers are those of ``recommended_coverage.json``, which the module
``thetahat_replications.presets.interval_coverage.recommended`` writes. They are for two-sided
intervals of level 0.95 of one model's mean loss, and of the difference of two models' mean losses.
Intervals of other levels, and with one side, have the coverage of the same method with that level.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from thetahat.analyses.losses.cautions import has_heavy_tails
from thetahat.analyses.losses.recommendation import BuiltInterval
from thetahat.analyses.losses.studied_designs import (
    DesignSizes,
    StudiedDesign,
    explain_distance,
    find_nearest_designs,
    find_nearest_size,
    read_designs,
)
from thetahat.cautions import COVERS_TOO_RARELY
from thetahat.intervals.base import Interval
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.coverage import ExpectedCoverage
from thetahat.values.kept_studies import (
    INTERVAL_NOT_STUDIED,
    NOT_STUDIED,
    StudyFile,
    find_expected_coverage,
    read_studied_intervals,
    read_study,
)
from thetahat.values.layout import Layout
from thetahat.values.number_text import format_percent
from thetahat.values.types import Alternative, BlockKind

TABLE: Final = "/studies/recommended_coverage"
FILE: Final = "recommended_coverage.json"
_STUDIED_INTERVAL: Final = "The same kind of interval, with two sides and a level of 95 %,"
"""The subject of the caution about an interval of another level, or with one side."""

Subject: TypeAlias = Literal["model", "difference"]
_Values: TypeAlias = Literal["binary", "numbers", "heavy"]

_STUDIED_AS: Final[Mapping[str, _Values]] = {
    "binary": "binary",
    "bounded": "numbers",
    "unbounded": "numbers",
    "heavy": "heavy",
}
"""What the studied losses are like. Brier scores and squared errors are not kept apart, because
only the unit of a loss tells one from the other."""
_VALUES_IN_WORDS: Final[Mapping[_Values, str]] = {
    "binary": " of losses of 0 and 1",
    "numbers": " of losses with other values",
    "heavy": " of heavy-tailed losses",
}
_RATES_OVER_SOURCES: Final = ("source_rates_coverage.json", "paired_source_rates_coverage.json")
"""The studies of intervals for rates of 0 and 1 over sources, of models and of differences."""
OTHER_INTERVAL: Final = "The studied design nearest to this one did not have this interval."


class StudiedCoverage(NamedTuple):
    """A cell of a study: a population, a learner or two, and a number of rows, in one design.

    ``data`` says what its losses are like, or its classes.
    """

    data: str
    n: int
    coverage: float
    error: float


_LossPlace: TypeAlias = tuple[Subject, str, str]
"""Subject, target, and interval with its variance."""


class CoverageLookup(NamedTuple):
    """The studied design that is nearest to an evaluation; None where there is none."""

    design: StudiedDesign | None
    sizes: DesignSizes
    in_time: bool

    def add_to(
        self, built: Sequence[BuiltInterval], losses: BlockLosses, subject: Subject
    ) -> list[BuiltInterval]:
        """Return the intervals, the recommended ones with the coverage of the nearest cells.

        Where none is near enough, or has the same interval, they have the reason.

        Parameters
        ----------
        built : sequence of BuiltInterval
            All intervals of one model or difference.
        losses : BlockLosses
            The losses or differences that they are built on.
        subject : str
            ``model`` or ``difference``.
        """
        values = _classify_values(losses)
        return [
            entry._replace(interval=self._add_to(entry, losses, subject, values))
            if entry.interval.recommended
            else entry
            for entry in built
        ]

    def _add_to(
        self, entry: BuiltInterval, losses: BlockLosses, subject: Subject, values: _Values | None
    ) -> Interval:
        interval = entry.interval
        if entry.variance is not None and (entry.variance.variance.uses_judge or self.in_time):
            return _add_from_own_study(interval, entry.variance, losses, values)
        if entry.method.only_zero_one and losses.layout.kind is BlockKind.SOURCE:
            return _add_from_rates_over_sources(interval, entry.method.name, losses.layout)
        if self.design is None:
            return replace(interval, expected_coverage_missing=NOT_STUDIED)
        variance = "" if entry.variance is None else f":{entry.variance.name}"
        place = (subject, interval.target.value, f"{entry.method.name}{variance}")
        cells = _select_cells(place, self.design, values, self.sizes.n)
        missing = explain_missing(cells, self.design, self.sizes)
        if missing is not None:
            return replace(interval, expected_coverage_missing=missing)
        return add_coverage(interval, _average(place, self.design, values, cells))


def _add_from_own_study(
    interval: Interval, variance: MethodInfo, losses: BlockLosses, values: _Values | None
) -> Interval:
    """Return an interval from grades or of a series, whose studies had t intervals.

    They say where the level is missed, as the cautions of the variance do.
    """
    if interval.degrees_of_freedom is None:
        return replace(interval, expected_coverage_missing=INTERVAL_NOT_STUDIED)
    if values == "heavy":
        return replace(interval, expected_coverage_missing=NOT_STUDIED)
    if variance.variance.uses_judge:
        from thetahat.variances._judge_coverage import find_judge_coverage  # noqa: PLC0415 - few evaluations need it

        expected, missing = find_judge_coverage(losses)
    else:
        from thetahat.variances._times import find_time_coverage  # noqa: PLC0415 - same

        expected, missing = find_time_coverage(losses, variance.name)
    return replace(interval, expected_coverage=expected, expected_coverage_missing=missing)


def _add_from_rates_over_sources(interval: Interval, method: str, layout: Layout) -> Interval:
    """Return an interval of error rates over sources, whose studies had unequal sources too."""
    sizes = layout.n_test
    numbers = {
        "sources": layout.n_blocks,
        "rows in the smallest source": int(sizes.min()),
        "rows in the largest source": int(sizes.max()),
    }
    studied = [
        entry
        for file in _RATES_OVER_SOURCES
        for entry in read_studied_intervals("thetahat.intervals", file, method)
    ]
    block, blocks = layout.words.block, layout.words.blocks
    words = {
        "sources": blocks,
        "rows in the smallest source": f"rows in the smallest {block}",
        "rows in the largest source": f"rows in the largest {block}",
    }
    expected, missing = find_expected_coverage(studied, "", numbers, words)
    if expected is None:
        return replace(interval, expected_coverage_missing=missing)
    return add_coverage(interval, expected)


def look_up_coverage(layout: Layout) -> CoverageLookup:
    """Return the studied design that is nearest to the layout."""
    designs = find_nearest_designs(read_designs(__package__, FILE), layout)
    design = designs[0] if designs else None
    return CoverageLookup(design, DesignSizes.of(layout), in_time=layout.time is not None)


def explain_missing(
    cells: Sequence[StudiedCoverage], design: StudiedDesign, sizes: DesignSizes
) -> str | None:
    """Return why the cells of a design say nothing about an interval; None if they do."""
    return explain_distance(design, cells[0].n, sizes) if cells else OTHER_INTERVAL


def is_too_low(expected: ExpectedCoverage) -> bool:
    """Return whether a coverage is low, by more than two standard errors, which may be chance."""
    return expected.coverage + 2 * expected.standard_error < COVERS_TOO_RARELY.threshold


def add_coverage(interval: Interval, expected: ExpectedCoverage) -> Interval:
    """Return the interval with its expected coverage, and a caution where that is low."""
    cautions = interval.cautions
    if is_too_low(expected):
        share = format_percent(round(expected.coverage, 2))
        is_studied = (
            interval.level == expected.level and interval.alternative is Alternative.TWO_SIDED
        )
        caution = COVERS_TOO_RARELY(
            interval="The interval" if is_studied else _STUDIED_INTERVAL,
            coverage=share,
            design=expected.design,
        )
        cautions = (*cautions, caution)
    return replace(interval, expected_coverage=expected, cautions=cautions)


@lru_cache(maxsize=1024)
def _select_cells(
    place: _LossPlace, design: StudiedDesign, values: _Values | None, n: int
) -> tuple[StudiedCoverage, ...]:
    """Return the nearest cells, which the pairs of an evaluation share."""
    at_place = _read_cells(design.name).get(place, ())
    studied = _find_studied_values(at_place, values)
    of_values = [cell for cell in at_place if studied in (None, _STUDIED_AS[cell.data])]
    return tuple(select_nearest_size(of_values, design, n))


@lru_cache(maxsize=1024)
def _average(
    place: _LossPlace,
    design: StudiedDesign,
    values: _Values | None,
    cells: tuple[StudiedCoverage, ...],
) -> ExpectedCoverage:
    """Return the average coverage of the cells, in which the design is described."""
    studied = _find_studied_values(cells, values)
    of_values = "" if studied is None else _VALUES_IN_WORDS[studied]
    sampled = "pairs of learners" if place[0] == "difference" else "learners and populations"
    several = f"average of {len(cells)} {sampled}" if len(cells) > 1 else "one case"
    words = f"{design.words}, {cells[0].n} rows{of_values}; {several}"
    return average_coverages(cells, words, TABLE, _read_study().head["level"])


def _find_studied_values(
    cells: Sequence[StudiedCoverage], values: _Values | None
) -> _Values | None:
    """Return the kind of losses that the cells have and that is nearest to this one.

    Heavy-tailed losses are only like themselves: intervals cover others more often.
    """
    studied = {_STUDIED_AS[cell.data] for cell in cells} - {"heavy"}
    if values is None or values == "heavy" or not studied or values in studied:
        return values
    return next(iter(studied))


def select_nearest_size(
    cells: Sequence[StudiedCoverage], design: StudiedDesign, n: int
) -> list[StudiedCoverage]:
    """Return the cells of a design whose number of tested rows is nearest to n."""
    if not cells:
        return []
    nearest = find_nearest_size((cell.n for cell in cells), n, design.share)
    return [cell for cell in cells if cell.n == nearest]


def average_coverages(
    cells: Sequence[StudiedCoverage], design: str, table: str, level: float
) -> ExpectedCoverage:
    """Return the average of the coverages at a level, with its standard error, and their range."""
    shares = [cell.coverage for cell in cells]
    return ExpectedCoverage(
        level=level,
        coverage=sum(shares) / len(shares),
        standard_error=math.sqrt(sum(cell.error**2 for cell in cells)) / len(shares),
        least=min(shares),
        largest=max(shares),
        design=design,
        table=table,
    )


def _classify_values(losses: BlockLosses) -> _Values | None:
    """Return the studied losses that are most like these; None if only block means are known.

    The difference of two losses of 0 and 1 is -1, 0 or 1.
    """
    values = losses.values
    if values is None:
        return None
    if ((values == 0) | (np.abs(values) == 1)).all():
        return "binary"
    return "heavy" if has_heavy_tails(losses) else "numbers"


def _read_study() -> StudyFile:
    """Return the study that is shipped with the library."""
    return read_study(__package__, FILE)


@cache
def _read_cells(design: str) -> Mapping[_LossPlace, Sequence[StudiedCoverage]]:
    """Return the cells of a design of the study, by place."""
    cells: dict[_LossPlace, list[StudiedCoverage]] = {}
    for row in _read_study().read_rows(design):
        if row["scheme"] != design:
            continue
        by_interval = {**row["others"], row["interval"]: row["coverage"]}
        for interval, (coverage, error) in by_interval.items():
            place = (row["of"], row["target"], interval)
            cells.setdefault(place, []).append(
                StudiedCoverage(row["values"], row["n"], coverage, error)
            )
    return cells
