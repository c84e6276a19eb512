"""The claims of the preset ``interval_coverage`` about metrics that are not mean losses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from thetahat.analyses.studies.claims import ClaimRow, RelativeBound, judge
from thetahat.analyses.studies.loss_records import RECOMMENDED
from thetahat.analyses.studies.monte_carlo import divide, subtract
from thetahat.analyses.studies.result import StudyClaim, TableCell
from thetahat.values.monte_carlo_number import MonteCarloNumber
from thetahat_replications.presets.interval_coverage.cell_selection import (
    CellDifference,
    CellQuantity,
    Row,
    TableCase,
    TableCells,
    average,
    read_numbers,
)
from thetahat_replications.presets.interval_coverage.metric_study import DIFFERENCE

ALLOWED_SHORTFALL: Final = 0.05
"""Average lack of coverage up to which an interval may be recommended."""
CLEAR_SHORTFALL: Final = 0.02
"""Lack of coverage from which an interval is called too short."""
NEARLY_LEVEL: Final = RelativeBound("level", plus=-ALLOWED_SHORTFALL)
TOO_SHORT: Final = RelativeBound("level", plus=-CLEAR_SHORTFALL)
RULE: Final = "the rule of recommendation"
ASSUMPTIONS: Final = "the assumptions of the method"

OF_RECOMMENDED_INTERVALS: Final = (
    ClaimRow(
        sentence="The interval that the service recommends covers nearly as often as its level.",
        reference="",
        place=RULE,
        quantity="coverage",
        measured="coverage of its own target, {metric} of {of}, {target}",
        at_least=NEARLY_LEVEL,
    ),
)
"""Judged for each metric and target, of models and of differences."""


def _select_model_coverage(  # noqa: PLR0913 - the columns that select the cells
    population: str,
    scheme: str,
    metric: str,
    interval: str,
    mean: str = "pooled",
    *,
    small: bool = False,
) -> TableCells:
    return TableCells(
        column="coverage",
        where={
            "population": population,
            "scheme": scheme,
            "metric": metric,
            "interval": interval,
            "mean": mean,
            "is_difference": "no",
        },
        size="smallest" if small else "largest",
    )


OF_CELLS: Final[tuple[ClaimRow[CellQuantity], ...]] = (
    ClaimRow(
        sentence="With some thirty of each class DeLong's interval covers nearly as often as its "
        "level.",
        reference="delong1988",
        place=ASSUMPTIONS,
        quantity=_select_model_coverage("two classes", "holdout", "roc_auc", "normal:delong"),
        measured="coverage of normal:delong, roc_auc, two classes, {largest_n} rows, holdout",
        at_least=NEARLY_LEVEL,
    ),
    ClaimRow(
        sentence="With few positives the normal interval of the area under the ROC curve is too "
        "short.",
        reference="delong1988",
        place=ASSUMPTIONS,
        quantity=_select_model_coverage(
            "few positives", "holdout", "roc_auc", "normal:delong", small=True
        ),
        measured="coverage of normal:delong, roc_auc, few positives, {smallest_n} rows, holdout",
        at_most=TOO_SHORT,
    ),
    ClaimRow(
        sentence="With few positives the normal interval of average precision is too short.",
        reference="hampel1974",
        place=ASSUMPTIONS,
        quantity=_select_model_coverage(
            "few positives", "holdout", "average_precision", "normal:influence", small=True
        ),
        measured="coverage of normal:influence, average_precision, few positives, {smallest_n} "
        "rows, holdout",
        at_most=TOO_SHORT,
    ),
    ClaimRow(
        sentence="With few positives the mean over folds of average precision is too high.",
        reference="",
        place=ASSUMPTIONS,
        quantity=_select_model_coverage(
            "few positives",
            "5-fold",
            "average_precision",
            "normal:influence_blocks",
            "macro",
            small=True,
        ),
        measured="coverage of normal:influence_blocks, average_precision, few positives, "
        "{smallest_n} rows, 5-fold",
        at_most=TOO_SHORT,
    ),
    ClaimRow(
        sentence="With heavy tails the normal interval of R2 is too short.",
        reference="hampel1974",
        place=ASSUMPTIONS,
        quantity=_select_model_coverage(
            "curve with heavy tails", "holdout", "r2", "normal:influence"
        ),
        measured="coverage of normal:influence, r2, curve with heavy tails, {largest_n} rows, "
        "holdout",
        at_most=TOO_SHORT,
    ),
    ClaimRow(
        sentence="Where rows come in clusters, an interval that takes them as independent is too "
        "short.",
        reference="cameron2015",
        place=ASSUMPTIONS,
        quantity=_select_model_coverage(
            "classes in clusters", "clusters whole, 5-fold", "roc_auc", "logit:delong"
        ),
        measured="coverage of logit:delong, roc_auc, classes in clusters, {largest_n} rows, "
        "clusters whole, 5-fold",
        at_most=TOO_SHORT,
    ),
)
"""Judged once, averaged over the two learners of a cell."""

OF_LOGIT_INTERVALS: Final = (
    ClaimRow(
        sentence="The logit interval covers more often than the normal or t interval.",
        reference="",
        place=RULE,
        quantity="coverage_difference",
        measured="coverage of the logit interval minus that of the other, {metric}",
        at_least=0,
    ),
    ClaimRow(
        sentence="The logit interval has the lower interval score.",
        reference="gneiting2007",
        place=RULE,
        quantity="score_ratio",
        measured="interval score of the logit interval over that of the other, {metric}",
        at_most=1,
    ),
)
"""Judged for each metric with a logit interval."""

_PAIRED: Final = {"is_difference": "yes", "scheme": "holdout"}
OF_BCA: Final[tuple[ClaimRow[CellQuantity], ...]] = (
    ClaimRow(
        sentence="For paired differences the BCa interval covers less often than the normal one.",
        reference="efron1987",
        place=ASSUMPTIONS,
        quantity=CellDifference(
            TableCells(column="coverage", where={**_PAIRED, "interval": "bca"}),
            TableCells(column="coverage", where={**_PAIRED, "interval": "normal:*"}),
        ),
        measured="coverage of bca minus that of normal, differences, holdout",
        at_most=0,
    ),
)
"""Judged once."""


@dataclass(frozen=True, slots=True, eq=False)
class _GroupCase:
    """Averages over a group of rows."""

    rows: Sequence[Row]
    fields: dict[str, str | float]

    def get_number(self, quantity: str) -> MonteCarloNumber:
        return average(read_numbers(self.rows, quantity))


@dataclass(frozen=True, slots=True, eq=False)
class _LogitCase:
    """The logit intervals of a metric, and the normal and t intervals of the same cells."""

    logits: Sequence[Row]
    others: Sequence[Row]
    fields: dict[str, str | float]

    def get_number(self, quantity: str) -> MonteCarloNumber:
        column = "coverage" if quantity == "coverage_difference" else "score"
        compare = subtract if column == "coverage" else divide
        logits, others = (average(read_numbers(r, column)) for r in (self.logits, self.others))
        return compare(logits, others)


def judge_metrics(rows: Sequence[Row], level: float) -> tuple[StudyClaim, ...]:
    """Judge all claims about metrics from the rows of the table ``metric_cells``."""
    sizes = [n for row in rows if isinstance(n := row["n"], int)]
    fields = {"level": level, "largest_n": max(sizes), "smallest_n": min(sizes)} if sizes else {}
    marked = [{**row, "is_difference": _is_difference(row)} for row in rows]
    all_cells = TableCase(marked, fields)
    return (
        *judge(OF_RECOMMENDED_INTERVALS, _build_recommended_cases(rows, level)),
        *judge(OF_CELLS, [all_cells]),
        *judge(OF_LOGIT_INTERVALS, _build_logit_cases(rows)),
        *judge(OF_BCA, [all_cells]),
    )


def _is_difference(row: Row) -> str:
    return "yes" if row["of"] == DIFFERENCE else "no"


def _build_recommended_cases(rows: Sequence[Row], level: float) -> list[_GroupCase]:
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        if row["interval"] == RECOMMENDED:
            of = DIFFERENCE if row["of"] == DIFFERENCE else "models"
            groups.setdefault((str(row["metric"]), of, str(row["target"])), []).append(row)
    return [
        _GroupCase(group, {"metric": metric, "of": of, "target": target, "level": level})
        for (metric, of, target), group in groups.items()
    ]


def _build_logit_cases(rows: Sequence[Row]) -> list[_LogitCase]:
    by_place = {_get_place(row): row for row in rows}
    pairs: dict[TableCell, list[tuple[Row, Row]]] = {}
    for row in rows:
        pairs.setdefault(row["metric"], [])
    for place, row in by_place.items():
        method, _, variance = str(row["interval"]).partition(":")
        if method != "logit":
            continue
        for method_name in ("normal", "student_t"):
            plain = by_place.get((*place[:-1], f"{method_name}:{variance}"))
            if plain is not None:
                pairs[row["metric"]].append((row, plain))
    return [
        _LogitCase([a for a, _ in of_metric], [b for _, b in of_metric], {"metric": str(metric)})
        for metric, of_metric in pairs.items()
        if of_metric
    ]


def _get_place(row: Row) -> tuple[str, ...]:
    keys = ("population", "n", "scheme", "metric", "of", "mean", "target", "interval")
    return tuple(str(row[key]) for key in keys)
