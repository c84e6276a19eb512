"""How often recommended intervals covered in the studied designs nearest to an evaluation.

The numbers are those of ``recommended_coverage.json``, which the module
``replications.presets.interval_coverage.recommended`` writes. They are for two-sided intervals of
level 0.95 of one model's mean loss, and of the difference of two models' mean losses. Intervals of
other levels, and with one side, have the coverage of the same method with that level.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final, Literal, NotRequired, TypeAlias, TypedDict

import numpy as np

from thetahat.analyses.losses.cautions import count_crossing_clusters, has_heavy_tails
from thetahat.analyses.losses.recommendation import BuiltInterval
from thetahat.cautions import COVERS_TOO_RARELY
from thetahat.intervals.base import Interval
from thetahat.values.block_losses import BlockLosses
from thetahat.values.coverage import ExpectedCoverage
from thetahat.values.layout import Layout
from thetahat.values.number_text import format_percent
from thetahat.values.types import Alternative, BlockKind

TABLE: Final = "/studies/recommended_coverage"
_FILE: Final = "recommended_coverage.json"
_LARGEST_BOUNDED: Final = 2.0
"""The studied bounded loss is the Brier score of two classes, which lies between 0 and 2."""

_STUDIED_INTERVAL: Final = "The same kind of interval, with two sides and a level of 95 %,"
"""The subject of the caution about an interval of another level, or with one side."""

Subject: TypeAlias = Literal["model", "difference"]
_Values: TypeAlias = Literal["binary", "bounded", "unbounded", "heavy"]

_VALUES_IN_WORDS: Final[Mapping[_Values, str]] = {
    "binary": " of losses of 0 and 1",
    "bounded": " of bounded losses",
    "unbounded": " of unbounded losses",
    "heavy": " of heavy-tailed losses",
}


@dataclass(frozen=True, slots=True)
class _Design:
    """A scheme of the study: what its blocks are, their number, and whether it cuts clusters.

    ``share`` is the share of the rows that it tests, and ``single_rows`` whether each block is one
    row. ``fixed`` says that the models were trained on other data than these sources.
    """

    name: str
    words: str
    blocks: str
    folds: int | None
    repeated: bool
    single_rows: bool
    clusters: str | None
    share: float
    fixed: bool


@dataclass(frozen=True, slots=True)
class _LossCell:
    """A cell of the study: a population, a learner or two, and a number of rows, in one design."""

    values: _Values
    n: int
    coverage: float
    error: float


_LossPlace: TypeAlias = tuple[Subject, str, str, str]
"""Subject, name of the design, target, and interval with its variance."""


@dataclass(frozen=True, slots=True)
class _Study:
    """The level of the study, its designs, and its cells by place."""

    level: float
    designs: tuple[_Design, ...]
    cells: Mapping[_LossPlace, tuple[_LossCell, ...]]


@dataclass(frozen=True, slots=True)
class CoverageLookup:
    """The studied design that is nearest to an evaluation; None where there is none."""

    design: _Design | None

    def add_to(
        self, built: Sequence[BuiltInterval], losses: BlockLosses, subject: Subject
    ) -> list[BuiltInterval]:
        """Return the intervals, the recommended ones with the coverage of the nearest cells.

        An interval stays as it is where its target was not studied, or only with other intervals.

        Parameters
        ----------
        built : sequence of BuiltInterval
            All intervals of one model or difference.
        losses : BlockLosses
            The losses or differences that they are built on.
        subject : str
            ``model`` or ``difference``.
        """
        if self.design is None:
            return list(built)
        values = _classify_values(losses)
        n = losses.layout.n_instances
        return [_add(entry, self.design, subject, values, n) for entry in built]


def look_up_coverage(layout: Layout) -> CoverageLookup:
    """Return the studied design that is nearest to the layout."""
    return CoverageLookup(_find_design(layout))


def add_coverage(interval: Interval, expected: ExpectedCoverage) -> Interval:
    """Return the interval with its expected coverage, and a caution where that is low.

    A coverage within two standard errors of the bound may be chance.
    """
    is_low = expected.coverage + 2 * expected.standard_error < COVERS_TOO_RARELY.threshold
    cautions = interval.cautions
    if is_low:
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


def _add(
    entry: BuiltInterval, design: _Design, subject: Subject, values: _Values | None, n: int
) -> BuiltInterval:
    if not entry.interval.recommended:
        return entry
    variance = "" if entry.variance is None else f":{entry.variance.name}"
    name = f"{entry.method.name}{variance}"
    place = (subject, design.name, entry.interval.target.value, name)
    expected = _find_coverage(place, design, values, n)
    if expected is None:
        return entry
    return replace(entry, interval=add_coverage(entry.interval, expected))


@lru_cache(maxsize=1024)
def _find_coverage(
    place: _LossPlace, design: _Design, values: _Values | None, n: int
) -> ExpectedCoverage | None:
    """Return the coverage in the nearest cells, which the pairs of an evaluation share."""
    at_place = _read_study().cells.get(place, ())
    studied = _find_studied_values(at_place, values)
    cells = _select_nearest_size(
        [cell for cell in at_place if studied in (None, cell.values)], design.share, n
    )
    return _average(cells, design, place[0], studied) if cells else None


def _find_studied_values(cells: Sequence[_LossCell], values: _Values | None) -> _Values | None:
    """Return the kind of losses that the cells have and that is nearest to this one.

    Heavy-tailed losses are only like themselves: intervals cover others more often.
    """
    order = list(_VALUES_IN_WORDS)
    studied = sorted({cell.values for cell in cells} - {"heavy"}, key=order.index)
    if values is None or values == "heavy" or not studied:
        return values
    return min(studied, key=lambda other: abs(order.index(other) - order.index(values)))


def _select_nearest_size(cells: Sequence[_LossCell], share: float, n: int) -> list[_LossCell]:
    """Return the cells whose number of tested rows is nearest, as a ratio."""
    if not cells:
        return []
    nearest = min({cell.n for cell in cells}, key=lambda size: abs(math.log(size * share / n)))
    return [cell for cell in cells if cell.n == nearest]


def _average(
    cells: Sequence[_LossCell], design: _Design, subject: Subject, values: _Values | None
) -> ExpectedCoverage:
    of_values = "" if values is None else _VALUES_IN_WORDS[values]
    sampled = "pairs of learners" if subject == "difference" else "learners and populations"
    several = f"average of {len(cells)} {sampled}" if len(cells) > 1 else "one case"
    return average_coverages(
        [(cell.coverage, cell.error) for cell in cells],
        f"{design.words}, {cells[0].n} rows{of_values}; {several}",
        TABLE,
        _read_study().level,
    )


def average_coverages(
    coverages: Sequence[tuple[float, float]], design: str, table: str, level: float
) -> ExpectedCoverage:
    """Return the average of coverages at a level, each with its standard error, and their range."""
    shares = [coverage for coverage, _ in coverages]
    return ExpectedCoverage(
        level=level,
        coverage=sum(shares) / len(shares),
        standard_error=math.sqrt(sum(error**2 for _, error in coverages)) / len(shares),
        least=min(shares),
        largest=max(shares),
        design=design,
        table=table,
    )


def _find_design(layout: Layout) -> _Design | None:
    """Return the studied design that is nearest to the layout, or None if none is like it.

    Over a holdout models are the same wherever they were trained.
    """
    is_fixed = layout.kind is BlockKind.SOURCE and layout.has_fixed_models
    has_single_rows = layout.kind is BlockKind.RANDOM and bool(layout.n_test.max() == 1)
    is_repeated = layout.kind is not BlockKind.SUBSAMPLES and layout.n_repeats > 1
    clusters = _describe_clusters(layout)
    properties = (layout.kind.value, is_repeated, has_single_rows, clusters, is_fixed)
    designs = [
        design
        for design in _read_study().designs
        if (design.blocks, design.repeated, design.single_rows, design.clusters, design.fixed)
        == properties
    ]
    return min(designs, key=lambda design: _compare_folds(design, layout), default=None)


def _describe_clusters(layout: Layout) -> str | None:
    if layout.cluster is None:
        return None
    return "cut" if count_crossing_clusters(layout) > 0 else "whole"


def _compare_folds(design: _Design, layout: Layout) -> float:
    """Return how far the number of folds is from the design's, as the logarithm of a ratio."""
    return 0.0 if design.folds is None else abs(math.log(layout.n_blocks / design.folds))


def _classify_values(losses: BlockLosses) -> _Values | None:
    """Return the studied losses that are most like these; None if only block means are known.

    The difference of two losses of 0 and 1 is -1, 0 or 1.
    """
    values = losses.values
    if values is None:
        return None
    if ((values == 0) | (np.abs(values) == 1)).all():
        return "binary"
    if has_heavy_tails(losses):
        return "heavy"
    is_bounded = np.abs(values).max() <= _LARGEST_BOUNDED
    return "bounded" if is_bounded else "unbounded"


class StudiedDesignJson(TypedDict):
    """A design of the shipped study, as its file has it."""

    words: str
    blocks: str
    folds: NotRequired[int]
    repeated: NotRequired[bool]
    single_rows: NotRequired[bool]
    clusters: NotRequired[str]
    share: NotRequired[float]
    fixed: NotRequired[bool]


class CoverageRowJson(TypedDict):
    """A row of the shipped study: one cell, with coverage and standard error by interval."""

    of: Subject
    scheme: str
    target: str
    values: _Values
    n: int
    interval: str
    coverage: list[float]
    others: dict[str, list[float]]


class CoverageStudyJson(TypedDict):
    """The shipped study of coverage, as its file has it."""

    level: float
    designs: dict[str, StudiedDesignJson]
    rows: list[CoverageRowJson]


@cache
def _read_study() -> _Study:
    """Return the study that is shipped with the library."""
    text = files(__package__).joinpath(_FILE).read_text(encoding="utf-8")
    study: CoverageStudyJson = json.loads(text)
    designs = tuple(
        _Design(
            name=name,
            words=design["words"],
            blocks=design["blocks"],
            folds=design.get("folds"),
            repeated=design.get("repeated", False),
            single_rows=design.get("single_rows", False),
            clusters=design.get("clusters"),
            share=design.get("share", 1.0),
            fixed=design.get("fixed", False),
        )
        for name, design in study["designs"].items()
    )
    cells: dict[_LossPlace, list[_LossCell]] = {}
    for row in study["rows"]:
        by_interval = {**row["others"], row["interval"]: row["coverage"]}
        for interval, (coverage, error) in by_interval.items():
            place = (row["of"], row["scheme"], row["target"], interval)
            cells.setdefault(place, []).append(_LossCell(row["values"], row["n"], coverage, error))
    return _Study(study["level"], designs, {place: tuple(found) for place, found in cells.items()})
