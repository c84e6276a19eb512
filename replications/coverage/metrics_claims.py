"""The claims of the coverage study about intervals of metrics that are no averages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from replications.coverage.averages import average
from replications.coverage.metrics import DIFFERENCE
from thetahat.analyses.studies.claims import StudyClaim
from thetahat.analyses.studies.loss_records import RECOMMENDED
from thetahat.analyses.studies.monte_carlo import divide, subtract
from thetahat.analyses.studies.tables import MonteCarloNumber

SHORT: Final = 0.05
"""How much coverage may lack of its level on average for an interval to be recommended."""
CLEARLY: Final = 0.02
"""Lack of coverage from which an interval is called too short."""

Row = Mapping[str, Any]


def metric_claims(rows: Sequence[Row], level: float) -> tuple[StudyClaim, ...]:
    """Return the claims with the figures that decide them, of all cells."""
    return (*_of_the_rule(rows, level), *_of_cells(rows, level), *_of_logits(rows), *_of_bca(rows))


def _of_the_rule(rows: Sequence[Row], level: float) -> Iterator[StudyClaim]:
    """Yield, for each metric and target, whether what is recommended covers."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        if row["interval"] == RECOMMENDED:
            of = DIFFERENCE if row["of"] == DIFFERENCE else "models"
            groups.setdefault((row["metric"], of, row["target"]), []).append(row)
    for (metric, of, target), of_group in groups.items():
        yield StudyClaim(
            text="The interval that the service recommends covers nearly as often as it says.",
            reference="",
            place="the rule of recommendation",
            measured=f"coverage of its own target, {metric} of {of}, {target}",
            figure=_average_of(of_group, "coverage"),
            at_least=level - SHORT,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cell:
    """A claim about one interval of models in one cell."""

    text: str
    reference: str
    population: str
    is_small: bool
    scheme: str
    metric: str
    interval: str
    mean: str = "pooled"
    is_short: bool = True


_CELLS: Final = (
    _Cell(
        text="With some thirty of each class DeLong's interval covers nearly as often as it says.",
        reference="delong1988",
        population="two classes",
        is_small=False,
        scheme="holdout",
        metric="roc_auc",
        interval="normal:delong",
        is_short=False,
    ),
    _Cell(
        text="With few positives the normal interval of the area under the ROC curve is too short.",
        reference="delong1988",
        population="few positives",
        is_small=True,
        scheme="holdout",
        metric="roc_auc",
        interval="normal:delong",
    ),
    _Cell(
        text="With few positives the normal interval of average precision is too short.",
        reference="hampel1974",
        population="few positives",
        is_small=True,
        scheme="holdout",
        metric="average_precision",
        interval="normal:influence",
    ),
    _Cell(
        text="With few positives the mean over folds of average precision is too high.",
        reference="",
        population="few positives",
        is_small=True,
        scheme="5-fold",
        metric="average_precision",
        interval="normal:influence_blocks",
        mean="macro",
    ),
    _Cell(
        text="With heavy tails the normal interval of R2 is too short.",
        reference="hampel1974",
        population="curve with heavy tails",
        is_small=False,
        scheme="holdout",
        metric="r2",
        interval="normal:influence",
    ),
    _Cell(
        text="Where rows come in clusters, what takes them as independent is too short.",
        reference="cameron2015",
        population="classes in clusters",
        is_small=False,
        scheme="clusters whole, 5-fold",
        metric="roc_auc",
        interval="logit:delong",
    ),
)


def _of_cells(rows: Sequence[Row], level: float) -> Iterator[StudyClaim]:
    """Yield what theory says of intervals in single cells, averaged over the two learners."""
    sizes = [row["n"] for row in rows]
    for one in _CELLS:
        n = min(sizes, default=0) if one.is_small else max(sizes, default=0)
        keys = ("population", "scheme", "metric", "interval", "mean")
        found = [
            row
            for row in rows
            if row["n"] == n
            and row["of"] != DIFFERENCE
            and all(row[key] == getattr(one, key) for key in keys)
        ]
        if found:
            yield StudyClaim(
                text=one.text,
                reference=one.reference,
                place="the assumptions of the method",
                measured=(
                    f"coverage of {one.interval}, {one.metric}, {one.population}, {n} rows, "
                    f"{one.scheme}"
                ),
                figure=_average_of(found, "coverage"),
                at_least=None if one.is_short else level - SHORT,
                at_most=level - CLEARLY if one.is_short else None,
            )


def _of_logits(rows: Sequence[Row]) -> Iterator[StudyClaim]:
    """Yield, for each metric that has a logit interval, whether that is the better one."""
    by_place = {_place(row): row for row in rows}
    for metric in dict.fromkeys(row["metric"] for row in rows):
        pairs = []
        for place, row in by_place.items():
            method, _, variance = row["interval"].partition(":")
            if row["metric"] != metric or method != "logit":
                continue
            for other in ("normal", "student_t"):
                plain = by_place.get((*place[:-1], f"{other}:{variance}"))
                if plain is not None:
                    pairs.append((row, plain))
        if pairs:
            logits, plains = zip(*pairs, strict=True)
            yield StudyClaim(
                text="The logit interval covers more often than the normal or t one.",
                reference="",
                place="the rule of recommendation",
                measured=f"coverage of the logit less that of the other, {metric}",
                figure=subtract(_average_of(logits, "coverage"), _average_of(plains, "coverage")),
                at_least=0,
            )
            yield StudyClaim(
                text="The logit interval has the lower interval score.",
                reference="gneiting2007",
                place="the rule of recommendation",
                measured=f"interval score of the logit over that of the other, {metric}",
                figure=divide(_average_of(logits, "score"), _average_of(plains, "score")),
                at_most=1,
            )


def _of_bca(rows: Sequence[Row]) -> Iterator[StudyClaim]:
    """Yield whether the bootstrap with corrected bias does for paired differences what it may."""
    of_scheme = [row for row in rows if row["of"] == DIFFERENCE and row["scheme"] == "holdout"]
    corrected = [row for row in of_scheme if row["interval"] == "bca"]
    normal = [row for row in of_scheme if str(row["interval"]).startswith("normal:")]
    if corrected and normal:
        yield StudyClaim(
            text="Of paired differences the BCa interval covers less often than the normal one.",
            reference="efron1987",
            place="the assumptions of the method",
            measured="coverage of bca less that of normal, differences, holdout",
            figure=subtract(_average_of(corrected, "coverage"), _average_of(normal, "coverage")),
            at_most=0,
        )


def _place(row: Row) -> tuple[str, ...]:
    keys = ("population", "n", "scheme", "metric", "of", "mean", "target", "interval")
    return tuple(str(row[key]) for key in keys)


def _average_of(rows: Sequence[Row], key: str) -> MonteCarloNumber:
    return average([row[key] for row in rows if row[key] is not None])
