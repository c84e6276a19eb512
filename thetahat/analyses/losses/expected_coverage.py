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
from typing import Any, Final

from thetahat.analyses.losses.cautions import count_crossing_clusters
from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.recommendation import BuiltInterval
from thetahat.values.block_losses import BlockLosses
from thetahat.values.coverage import ExpectedCoverage
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, BlockKind, Target

TABLE: Final = "docs/results/interval_coverage/recommended_coverage.md"
_FILE: Final = "recommended_coverage.json"
_SCHEMES: Final[Mapping[str, str]] = {
    "holdout": "a holdout of a third",
    "5-fold": "five folds",
    "10-fold": "ten folds",
    "five_by_two": "five times two folds",
    "repeated_k_fold": "five times ten folds",
    "random_subsampling": "25 random draws of a tenth",
    "leave_one_source_out": "one of eight sources left out at a time",
    "clusters cut, 5-fold": "five folds that cut clusters",
    "clusters cut, holdout": "a holdout with clusters of five rows",
    "clusters whole, 5-fold": "five folds of whole clusters",
}


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell of the study: a population, a learner and a number of rows, under one scheme."""

    scheme: str
    target: str
    interval: str | None
    loss: str
    n: int
    coverage: float
    error: float


def add_expected_coverage(
    built: Sequence[BuiltInterval], losses: BlockLosses, choices: Choices
) -> list[BuiltInterval]:
    """Return the intervals, the recommended ones with the coverage of the nearest studied design.

    An interval stays as it is where no design of its scheme was studied for its target, where
    another interval was recommended in the study, and for other levels or one-sided intervals.

    Parameters
    ----------
    built : sequence of BuiltInterval
        All intervals of one model.
    losses : BlockLosses
        The losses that they are built on.
    choices : Choices
        Level and alternative.
    """
    scheme = _find_scheme(losses.layout)
    level, _ = _read_table()
    is_studied = choices.level == level and choices.alternative is Alternative.TWO_SIDED
    if scheme is None or not is_studied:
        return list(built)
    loss = _classify_losses(losses)
    return [_add(entry, scheme, loss, losses.layout) for entry in built]


def _add(entry: BuiltInterval, scheme: str, loss: str | None, layout: Layout) -> BuiltInterval:
    if not entry.interval.recommended:
        return entry
    variance = "" if entry.variance is None else f":{entry.variance.name}"
    cells = _find_cells(
        scheme, entry.interval.target, f"{entry.method.name}{variance}", loss, layout.n_instances
    )
    if not cells:
        return entry
    return replace(
        entry, interval=replace(entry.interval, expected_coverage=_average(cells, scheme, loss))
    )


def _find_cells(
    scheme: str, target: Target, interval: str, loss: str | None, n: int
) -> list[_Cell]:
    """Return the cells of that interval whose number of rows is nearest, as a ratio."""
    cells = [
        cell
        for cell in _read_table()[1]
        if (cell.scheme, cell.target, cell.interval) == (scheme, target.value, interval)
        and loss in (None, cell.loss)
    ]
    if not cells:
        return []
    nearest = min({cell.n for cell in cells}, key=lambda size: abs(math.log(size / n)))
    return [cell for cell in cells if cell.n == nearest]


def _average(cells: Sequence[_Cell], scheme: str, loss: str | None) -> ExpectedCoverage:
    coverages = [cell.coverage for cell in cells]
    of_loss = {"zero_one": " of errors of 0 and 1", None: ""}.get(loss, f" of {loss} losses")
    several = f"average of {len(cells)} learners and populations" if len(cells) > 1 else "one case"
    return ExpectedCoverage(
        coverage=sum(coverages) / len(cells),
        standard_error=math.sqrt(sum(cell.error**2 for cell in cells)) / len(cells),
        least=min(coverages),
        largest=max(coverages),
        design=f"{_SCHEMES[scheme]}, {cells[0].n} rows{of_loss}; {several}",
        table=TABLE,
    )


def _find_scheme(layout: Layout) -> str | None:
    """Return the studied scheme that is nearest to the layout, or None if none is like it."""
    in_clusters = layout.cluster is not None
    if layout.kind is BlockKind.HOLDOUT:
        return "clusters cut, holdout" if in_clusters else "holdout"
    if layout.kind is BlockKind.SUBSAMPLES:
        return None if in_clusters else "random_subsampling"
    if layout.kind is BlockKind.SOURCE:
        is_studied = layout.n_repeats == 1 and not layout.has_fixed_models and not in_clusters
        return "leave_one_source_out" if is_studied else None
    return _find_folds(layout, in_clusters=in_clusters)


def _find_folds(layout: Layout, *, in_clusters: bool) -> str | None:
    n_blocks = layout.n_blocks
    if in_clusters:
        if layout.n_repeats > 1:
            return None
        is_cut = count_crossing_clusters(layout) > 0
        return "clusters cut, 5-fold" if is_cut else "clusters whole, 5-fold"
    if layout.n_test.max() == 1:
        return None  # the study does not know the truth of leave-one-out
    if layout.n_repeats > 1:
        return "five_by_two" if n_blocks == 2 else "repeated_k_fold"
    return "5-fold" if n_blocks <= 7 else "10-fold"  # 7 is nearest to 5 and 10 as a ratio


def _classify_losses(losses: BlockLosses) -> str | None:
    """Return the studied loss that is most like these; None where only block means are known."""
    values = losses.values
    if values is None:
        return None
    if ((values == 0) | (values == 1)).all():
        return "zero_one"
    return "brier" if values.min() >= 0 and values.max() <= _LARGEST_BRIER else "squared"


_LARGEST_BRIER: Final = 2.0
"""The Brier score of two classes lies between 0 and 2, so it is the studied bounded loss."""


@cache
def _read_table() -> tuple[float, tuple[_Cell, ...]]:
    """Return the level of the study and its cells."""
    text = files(__package__).joinpath(_FILE).read_text(encoding="utf-8")
    table: dict[str, Any] = json.loads(text)
    cells = tuple(
        _Cell(
            scheme=row["scheme"],
            target=row["target"],
            interval=row["interval"],
            loss=row["loss"],
            n=row["n"],
            coverage=row["coverage"][0],
            error=row["coverage"][1],
        )
        for row in table["rows"]
    )
    return table["level"], cells
