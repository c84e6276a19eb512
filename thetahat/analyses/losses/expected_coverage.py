"""How often the recommended interval of a model covered in the studied designs nearest to it.

The numbers are those of ``recommended_coverage.json``, which the module
``replications.presets.interval_coverage.recommended`` writes. They are for two-sided intervals of
level 0.95 of one model's mean loss; differences of models and metrics were not studied there.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal, TypeAlias

from thetahat.analyses.losses.cautions import count_crossing_clusters, has_heavy_tails
from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.recommendation import BuiltInterval
from thetahat.values.block_losses import BlockLosses
from thetahat.values.coverage import ExpectedCoverage
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, BlockKind, Target

TABLE: Final = "docs/results/interval_coverage/recommended_coverage.md"
_FILE: Final = "recommended_coverage.json"
_LARGEST_BOUNDED: Final = 2.0
"""The studied bounded loss is the Brier score of two classes, which lies between 0 and 2."""

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

    ``share`` is the share of the rows that it tests.
    """

    name: str
    words: str
    blocks: str
    folds: int | None
    repeated: bool
    clusters: str | None
    share: float


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell of the study: a population, a learner and a number of rows, in one design."""

    design: str
    target: str
    interval: str | None
    values: _Values
    n: int
    coverage: float
    error: float


@dataclass(frozen=True, slots=True)
class _Study:
    """The level of the study, its designs and its cells."""

    level: float
    designs: tuple[_Design, ...]
    cells: tuple[_Cell, ...]


def add_expected_coverage(
    built: Sequence[BuiltInterval], losses: BlockLosses, choices: Choices
) -> list[BuiltInterval]:
    """Return the intervals, the recommended ones with the coverage of the nearest studied design.

    An interval stays as it is where no design of its scheme was studied for its target, where the
    study has another interval alone, and for other levels or one-sided intervals.

    Parameters
    ----------
    built : sequence of BuiltInterval
        All intervals of one model.
    losses : BlockLosses
        The losses that they are built on.
    choices : Choices
        Level and alternative.
    """
    design = _find_design(losses.layout)
    is_studied = (
        choices.level == _read_study().level and choices.alternative is Alternative.TWO_SIDED
    )
    if design is None or not is_studied:
        return list(built)
    values = _classify_values(losses)
    return [_add(entry, design, values, losses.layout.n_instances) for entry in built]


def _add(entry: BuiltInterval, design: _Design, values: _Values | None, n: int) -> BuiltInterval:
    if not entry.interval.recommended:
        return entry
    variance = "" if entry.variance is None else f":{entry.variance.name}"
    cells = _find_cells(design, entry.interval.target, f"{entry.method.name}{variance}", values, n)
    if not cells:
        return entry
    return replace(
        entry, interval=replace(entry.interval, expected_coverage=_average(cells, design, values))
    )


def _find_cells(
    design: _Design, target: Target, interval: str, values: _Values | None, n: int
) -> list[_Cell]:
    """Return the cells of that interval whose number of tested rows is nearest, as a ratio."""
    cells = [
        cell
        for cell in _read_study().cells
        if (cell.design, cell.target, cell.interval) == (design.name, target.value, interval)
        and values in (None, cell.values)
    ]
    if not cells:
        return []
    nearest = min(
        {cell.n for cell in cells}, key=lambda size: abs(math.log(size * design.share / n))
    )
    return [cell for cell in cells if cell.n == nearest]


def _average(cells: Sequence[_Cell], design: _Design, values: _Values | None) -> ExpectedCoverage:
    coverages = [cell.coverage for cell in cells]
    of_values = "" if values is None else _VALUES_IN_WORDS[values]
    several = f"average of {len(cells)} learners and populations" if len(cells) > 1 else "one case"
    return ExpectedCoverage(
        coverage=sum(coverages) / len(cells),
        standard_error=math.sqrt(sum(cell.error**2 for cell in cells)) / len(cells),
        least=min(coverages),
        largest=max(coverages),
        design=f"{design.words}, {cells[0].n} rows{of_values}; {several}",
        table=TABLE,
    )


def _find_design(layout: Layout) -> _Design | None:
    """Return the studied design that is nearest to the layout, or None if none is like it.

    Models that were fitted elsewhere were studied over a holdout alone, and the truth of
    leave-one-out is not known in the study.
    """
    has_single_rows = layout.kind is BlockKind.RANDOM and layout.n_test.max() == 1
    has_fixed_sources = layout.kind is BlockKind.SOURCE and layout.has_fixed_models
    if has_single_rows or has_fixed_sources:
        return None
    is_repeated = layout.kind is not BlockKind.SUBSAMPLES and layout.n_repeats > 1
    designs = [
        design
        for design in _read_study().designs
        if (design.blocks, design.repeated, design.clusters)
        == (layout.kind.value, is_repeated, _describe_clusters(layout))
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
    """Return the studied losses that are most like these; None if only block means are known."""
    values = losses.values
    if values is None:
        return None
    if ((values == 0) | (values == 1)).all():
        return "binary"
    if has_heavy_tails(losses):
        return "heavy"
    is_bounded = values.min() >= 0 and values.max() <= _LARGEST_BOUNDED
    return "bounded" if is_bounded else "unbounded"


@cache
def _read_study() -> _Study:
    """Return the study that is shipped with the library."""
    text = files(__package__).joinpath(_FILE).read_text(encoding="utf-8")
    study: dict[str, Any] = json.loads(text)
    designs = tuple(
        _Design(
            name=name,
            words=design["words"],
            blocks=design["blocks"],
            folds=design.get("folds"),
            repeated=design.get("repeated", False),
            clusters=design.get("clusters"),
            share=design.get("share", 1.0),
        )
        for name, design in study["designs"].items()
    )
    cells = tuple(
        _Cell(
            design=row["scheme"],
            target=row["target"],
            interval=interval,
            values=row["values"],
            n=row["n"],
            coverage=coverage,
            error=error,
        )
        for row in study["rows"]
        for interval, (coverage, error) in {
            **row.get("others", {}),
            row["interval"]: row["coverage"],
        }.items()
    )
    return _Study(study["level"], designs, cells)
