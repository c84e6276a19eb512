"""The metrics of models and of pairs that are not averages of losses."""

from __future__ import annotations

import math
from typing import Final

from thetahat_presentation.document import Cell, Interval, Json, Name, Number, Pair, PValue, Table
from thetahat_presentation.parts.models import ModelsResult, build_interval, find_recommended
from thetahat_presentation.targets import sort_targets

MOST_PAIRS: Final = 6
"""Pairs whose metrics are compared in a table."""
MEANS: Final = {"macro": "the mean of the splits", "pooled": "over all rows together"}


def choose_mean(metric: Json) -> float | None:
    """Return the mean of a metric that its variance belongs to; None if it is not finite."""
    means = metric["estimate"]
    value: float | None = means.get("macro" if metric["mean"] == "macro" else "pooled")
    return value


def list_metric_tables(shown: ModelsResult) -> list[Table]:
    """Return the metrics of all models, and those of pairs; none if the result has no metrics."""
    by_metric: dict[str, list[tuple[str, Json]]] = {}
    for name, model in shown.models.items():
        for metric, estimate in (model.get("metrics") or {}).items():
            by_metric.setdefault(shown.head_method(metric), []).append((name, estimate))
    if not by_metric:
        return []
    estimates = [each for entries in by_metric.values() for _, each in entries]
    targets = sort_targets(target for each in estimates for target in find_recommended(each))
    rows: list[list[Cell]] = []
    for metric, entries in by_metric.items():
        for name, estimate in sorted(entries, key=lambda entry: _rank(entry[1])):
            value, error = choose_mean(estimate), estimate.get("standard_error")
            recommended = find_recommended(estimate)
            ends = [_add_mean(recommended.get(target), value, error) for target in targets]
            rows.append([metric, Name(name), Number(value, error), *ends])
    headings = [f"{shown.level} interval {shown.about(target)}".strip() for target in targets]
    notes = [_describe(metric, entries[0][1]) for metric, entries in by_metric.items()]
    first = "The best model of each metric is first; its interval is not corrected for that choice."
    if any(
        isinstance(cell, Interval) and cell.estimate is not None for row in rows for cell in row
    ):
        first += (
            " A number before an interval is the mean that the interval is about, where this is "
            "not the value."
        )
    models = Table(
        caption="Metrics of each model",
        columns=["Metric", "Model", "Value", *headings],
        rows=rows,
        notes=[first, *notes],
    )
    return [models, _tabulate_pairs(shown)]


def _add_mean(interval: Json | None, value: float | None, error: float | None) -> Interval:
    """Return an interval, with its estimate where that is another mean than the value."""
    ends = build_interval(interval, error)
    estimate = None if interval is None else interval.get("estimate")
    if estimate is None or value is None or math.isclose(estimate, value, rel_tol=1e-9):
        return ends
    return Interval(ends.lower, ends.upper, ends.standard_error, estimate)


def _rank(estimate: Json) -> tuple[bool, float]:
    """Return the key that sorts models by a metric, the best first and missing values last."""
    value = choose_mean(estimate)
    if value is None:
        return True, 0.0
    return False, -value if estimate.get("higher_is_better", True) else value


def _describe(name: str, metric: Json) -> str:
    better = "higher is better" if metric.get("higher_is_better", True) else "lower is better"
    return f"{name}: {MEANS.get(metric['mean'], metric['mean'])}; {better}."


def _tabulate_pairs(shown: ModelsResult) -> Table:
    """Return one row per pair and metric; none for many pairs."""
    pairs = shown.comparisons if len(shown.comparisons) <= MOST_PAIRS else ()
    rows: list[dict[str, Cell]] = []
    for pair in pairs:
        for name, metric in (pair.get("metrics") or {}).items():
            ends = build_interval(metric.get("interval") if "interval" in metric else metric)
            adjusted = metric.get("p_value_adjusted")
            rows.append(
                {
                    "Metric": shown.head_method(name),
                    "Pair": Pair(pair["a"], pair["b"]),
                    "Difference": Number(metric["difference"], ends.standard_error),
                    f"{shown.level} interval": ends,
                    "About": shown.about(metric.get("target")),
                    "p": PValue(metric["p_value"] if adjusted is None else adjusted),
                }
            )
    notes = ["The p-values are corrected for the number of pairs."] if len(pairs) > 1 else []
    caption, about = "Metrics of each pair", {str(row["About"]) for row in rows}
    if len(about) == 1:  # what all rows are about is said once
        caption = f"{caption} {about.pop()}".strip()
        rows = [{name: row[name] for name in row if name != "About"} for row in rows]
    return Table.of_rows(caption, rows, notes)
