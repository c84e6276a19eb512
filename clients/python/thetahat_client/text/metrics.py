"""The metrics of a result that are not averages of losses, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from thetahat_client.result_types import (
    AnyComparison,
    ModelsResult,
    find_mean,
    find_summary,
    list_comparisons,
)
from thetahat_client.results import (
    CurvePointDict,
    MetricDifferenceDict,
    MetricResultDict,
    ModelResultDict,
)
from thetahat_client.text.comparisons import MOST_SENTENCES
from thetahat_client.text.model_order import MOST_MODELS, sort_models
from thetahat_client.text.models import describe_target, find_recommended_intervals
from thetahat_client.text.page import (
    IntervalEnds,
    Page,
    format_difference,
    format_interval,
    format_level,
    format_number,
    format_p_value,
)

MeasuredPart: TypeAlias = CurvePointDict | ModelResultDict
"""A part of a result that may have metrics."""

MEANS: Final = {"macro": "the mean of the splits", "pooled": "over all rows together"}


@dataclass(frozen=True, slots=True)
class MetricColumn:
    """One metric in a table, with the target whose intervals are shown.

    Parameters
    ----------
    name : str
        Key of the metric.
    target : str
        Target of the intervals; empty where there is none.
    heading : str
        The name with the level and the target of the intervals.
    """

    name: str
    target: str
    heading: str

    def format_cell(self, part: MeasuredPart) -> str:
        """Return the metric of a model or a point with the ends of its interval."""
        metric = find_metrics(part).get(self.name)
        if metric is None:
            return "none"
        value = format_number(find_mean(metric["estimate"], metric["mean"]))
        interval = find_recommended_intervals(metric).get(self.target)
        return value if interval is None else f"{value} ({format_interval(interval)})"


def find_metrics(part: MeasuredPart) -> Mapping[str, MetricResultDict]:
    """Return the metrics of a model or a point of a curve by name; empty without any."""
    return part.get("metrics") or {}


def choose_metric_columns(
    parts: Sequence[MeasuredPart], target: str | None, page: Page
) -> list[MetricColumn]:
    """Return a column for each metric of some models or points of a curve.

    Parameters
    ----------
    parts : sequence of Mapping
        Models or points with ``metrics``.
    target : str or None
        The target whose intervals are shown; a metric without them shows those of its first.
    page : Page
        Has the word for a source.
    """
    metrics_of_parts = [find_metrics(part) for part in parts]
    names = dict.fromkeys(key for metrics in metrics_of_parts for key in metrics)
    columns = []
    for name in names:
        intervals = [
            find_recommended_intervals(metrics[name])
            for metrics in metrics_of_parts
            if name in metrics
        ]
        present = dict.fromkeys(key for by_target in intervals for key in by_target)
        chosen = str(target if target in present else next(iter(present), ""))
        levels = {by_target[chosen]["level"] for by_target in intervals if chosen in by_target}
        level = format_level(levels.pop()) if len(levels) == 1 else "interval"
        heading = f"{name} ({level}, {describe_target(chosen, page)})" if chosen else name
        columns.append(MetricColumn(name, chosen, heading))
    return columns


def build_metrics_table(result: ModelsResult, page: Page, *, show_all: bool = True) -> str:
    """Return one row per model and one column per metric, with its recommended interval.

    The interval is the one for the target of the summary where a metric has it; the heading names
    the target. Nothing where the models have no metrics.
    """
    models, summary = result["models"], find_summary(result)
    target = None if summary is None else summary.get("target")
    columns = choose_metric_columns(list(models.values()), target, page)
    if not columns:
        return ""
    order = sort_models(result)
    shown = order if show_all else order[:MOST_MODELS]
    rows = [[model, *(column.format_cell(models[model]) for column in columns)] for model in shown]
    notes = [f"{column.name}: {_describe(models, column.name)}" for column in columns]
    if len(shown) < len(order):
        notes.insert(0, f"and {len(order) - len(shown)} more models: {page.all_option}")
    return page.format_table(["model", *(column.heading for column in columns)], rows, notes)


def build_metric_differences_table(result: ModelsResult, page: Page) -> str:
    """Return one row per pair and metric; nothing for many pairs or without metrics."""
    pairs = list_comparisons(result)
    if len(pairs) > MOST_SENTENCES:
        return ""
    header = ["metric, a minus b", "difference", "interval", "target", "p-value"]
    rows = []
    for pair in pairs:
        for name, metric in iterate_metric_differences(pair):
            interval = find_ends(metric)
            ends = [interval["lower"], interval["upper"]]
            scale = max((abs(end) for end in ends if end is not None), default=None)
            adjusted = metric["p_value_adjusted"]
            p_value = format_p_value(metric["p_value"] if adjusted is None else adjusted)
            rows.append(
                [
                    f"{name}: {pair['a']} minus {pair['b']}",
                    format_difference(metric["difference"], scale),
                    format_interval(interval),
                    describe_target(metric["target"], page) if "target" in metric else "",
                    p_value,
                ]
            )
    notes = ["p-values are corrected for the number of pairs"] if len(pairs) > 1 else []
    return page.format_table(header, rows, notes) if rows else ""


def iterate_metric_differences(pair: AnyComparison) -> Iterator[tuple[str, MetricDifferenceDict]]:
    """Yield name and difference of each metric of a pair."""
    yield from pair.get("metrics", {}).items()


def find_ends(metric: MetricDifferenceDict) -> IntervalEnds:
    """Return what has the ends of a difference's interval: in brief the difference itself."""
    if "interval" not in metric:
        return {"lower": metric["lower"], "upper": metric["upper"]}
    interval = metric["interval"]
    return {"lower": None, "upper": None} if interval is None else interval


def _describe(models: Mapping[str, ModelResultDict], name: str) -> str:
    metric = next(
        metrics[name] for metrics in map(find_metrics, models.values()) if name in metrics
    )
    better = "higher is better" if metric.get("higher_is_better", True) else "lower is better"
    return f"{MEANS.get(metric['mean'], metric['mean'])}; {better}"
