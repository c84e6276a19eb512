"""The claims of the preset ``interval_coverage`` about metrics that are not mean losses."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, Literal

from thetahat.analyses.studies.claims import (
    Bound,
    ClaimCase,
    ClaimRow,
    Passage,
    RelativeBound,
    judge,
)
from thetahat.analyses.studies.loss_records import RECOMMENDED
from thetahat.analyses.studies.monte_carlo import divide, subtract
from thetahat.analyses.studies.result import StudyClaim, TableCell
from thetahat.values.monte_carlo_number import MonteCarloNumber
from thetahat_replications.presets.interval_coverage.cell_selection import (
    CellDifference,
    CellQuantity,
    Row,
    TableCells,
    average,
    build_table_case,
    read_numbers,
)
from thetahat_replications.presets.interval_coverage.claims import (
    NEARLY_LEVEL,
    RULE,
    build_recommended_claim,
    list_fields,
)
from thetahat_replications.presets.interval_coverage.metric_study import DIFFERENCE

CLEAR_SHORTFALL: Final = 0.02
"""Lack of coverage from which an interval is called too short."""
TOO_SHORT: Final = RelativeBound("level", plus=-CLEAR_SHORTFALL)
ASSUMPTIONS: Final = "the assumptions of the method"

OF_RECOMMENDED_INTERVALS: Final = (
    build_recommended_claim("coverage of its own target, {metric} of {of}, {target}"),
)
"""Judged for each metric and target, of models and of differences."""


def _build_cell_claim(  # noqa: PLR0913 - the sentence and what selects its cells
    reference: str,
    sentence: str,
    population: str,
    scheme: str,
    metric: str,
    interval: str,
    *,
    mean: str = "pooled",
    size: Literal["largest", "smallest"] = "largest",
    at_least: Bound = None,
    at_most: Bound = None,
) -> ClaimRow[CellQuantity]:
    """Return a claim about the coverage of an interval of models in cells of one sample size."""
    where = {
        "population": population,
        "scheme": scheme,
        "metric": metric,
        "interval": interval,
        "mean": mean,
        "is_difference": "no",
    }
    return Passage(reference, ASSUMPTIONS).claim(
        sentence,
        TableCells(column="coverage", where=where, size=size),
        f"coverage of {interval}, {metric}, {population}, {{{size}_n}} rows, {scheme}",
        at_least=at_least,
        at_most=at_most,
    )


OF_CELLS: Final = (
    _build_cell_claim(
        "delong1988",
        "With some thirty of each class DeLong's interval covers nearly as often as its level.",
        *("two classes", "holdout", "roc_auc", "normal:delong"),
        at_least=NEARLY_LEVEL,
    ),
    _build_cell_claim(
        "delong1988",
        "With few positives the normal interval of the area under the ROC curve is too short.",
        *("few positives", "holdout", "roc_auc", "normal:delong"),
        size="smallest",
        at_most=TOO_SHORT,
    ),
    _build_cell_claim(
        "hampel1974",
        "With few positives the normal interval of average precision is too short.",
        *("few positives", "holdout", "average_precision", "normal:influence"),
        size="smallest",
        at_most=TOO_SHORT,
    ),
    _build_cell_claim(
        "",
        "With few positives the mean over folds of average precision is too high.",
        *("few positives", "5-fold", "average_precision", "normal:influence_blocks"),
        mean="macro",
        size="smallest",
        at_most=TOO_SHORT,
    ),
    _build_cell_claim(
        "hampel1974",
        "With heavy tails the normal interval of R2 is too short.",
        *("curve with heavy tails", "holdout", "r2", "normal:influence"),
        at_most=TOO_SHORT,
    ),
    _build_cell_claim(
        "cameron2015",
        "Where rows come in clusters, an interval that takes them as independent is too short.",
        *("classes in clusters", "clusters whole, 5-fold", "roc_auc", "logit:delong"),
        at_most=TOO_SHORT,
    ),
)
"""Judged once, averaged over the two learners of a cell."""

OF_LOGIT_INTERVALS: Final = (
    RULE.claim(
        "The logit interval covers more often than the normal or t interval.",
        "coverage_difference",
        "coverage of the logit interval minus that of the other, {metric}",
        at_least=0,
    ),
    Passage("gneiting2007", RULE.place).claim(
        "The logit interval has the lower interval score.",
        "score_ratio",
        "interval score of the logit interval over that of the other, {metric}",
        at_most=1,
    ),
)
"""Judged for each metric with a logit interval."""

_PAIRED: Final = {"is_difference": "yes", "scheme": "holdout"}
OF_BCA: Final[tuple[ClaimRow[CellQuantity], ...]] = (
    Passage("efron1987", ASSUMPTIONS).claim(
        "For paired differences the BCa interval covers less often than the normal one.",
        CellDifference(
            TableCells(column="coverage", where={**_PAIRED, "interval": "bca"}),
            TableCells(column="coverage", where={**_PAIRED, "interval": "normal:*"}),
        ),
        "coverage of bca minus that of normal, differences, holdout",
        at_most=0,
    ),
)
"""Judged once."""


def judge_metrics(rows: Sequence[Row], level: float) -> tuple[StudyClaim, ...]:
    """Judge all claims about metrics from the rows of the table ``metric_cells``."""
    marked = [{**row, "is_difference": _is_difference(row)} for row in rows]
    all_cells = build_table_case(marked, list_fields(rows, level))
    return (
        *judge(OF_RECOMMENDED_INTERVALS, _build_recommended_cases(rows, level)),
        *judge(OF_CELLS, [all_cells]),
        *judge(OF_LOGIT_INTERVALS, _build_logit_cases(rows)),
        *judge(OF_BCA, [all_cells]),
    )


def _is_difference(row: Row) -> str:
    return "yes" if row["of"] == DIFFERENCE else "no"


def _build_recommended_cases(rows: Sequence[Row], level: float) -> list[ClaimCase[str]]:
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        if row["interval"] == RECOMMENDED:
            of = DIFFERENCE if row["of"] == DIFFERENCE else "models"
            groups.setdefault((str(row["metric"]), of, str(row["target"])), []).append(row)
    return [
        ClaimCase(
            partial(_average_column, group),
            {"metric": metric, "of": of, "target": target, "level": level},
        )
        for (metric, of, target), group in groups.items()
    ]


def _build_logit_cases(rows: Sequence[Row]) -> list[ClaimCase[str]]:
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
        ClaimCase(partial(_compare_logits, of_metric), {"metric": str(metric)})
        for metric, of_metric in pairs.items()
        if of_metric
    ]


def _average_column(rows: Sequence[Row], column: str) -> MonteCarloNumber:
    return average(read_numbers(rows, column))


def _compare_logits(pairs: Sequence[tuple[Row, Row]], quantity: str) -> MonteCarloNumber:
    """Compare logit intervals with the normal or t intervals of the same cells."""
    column = "coverage" if quantity == "coverage_difference" else "score"
    compare = subtract if column == "coverage" else divide
    logits, others = (_average_column(rows, column) for rows in zip(*pairs, strict=True))
    return compare(logits, others)


def _get_place(row: Row) -> tuple[str, ...]:
    keys = ("population", "n", "scheme", "metric", "of", "mean", "target", "interval")
    return tuple(str(row[key]) for key in keys)
