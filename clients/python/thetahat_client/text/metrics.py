"""The metrics of a result that are not averages of losses, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from thetahat_client.text.models import recommended_intervals
from thetahat_client.text.page import Page, format_interval, format_number

MEANS: Final = {"macro": "the mean of the splits", "pooled": "over all rows together"}


def metrics_table(result: Mapping[str, Any], page: Page) -> str:
    """Return one row per model and one column per metric, with its recommended interval.

    Nothing where the models have no metrics.
    """
    models: Mapping[str, Any] = result["models"]
    names = dict.fromkeys(key for model in models.values() for key in model.get("metrics") or {})
    if not names:
        return ""
    rows = [[model, *(metric_cell(part, name) for name in names)] for model, part in models.items()]
    notes = [f"{name}: {_describe(models, name)}" for name in names]
    return page.table_of(["model", *names], rows, notes)


def metric_cell(part: Mapping[str, Any], name: str) -> str:
    """Return a metric with the ends of its interval, as one cell."""
    metric = (part.get("metrics") or {}).get(name)
    if metric is None:
        return "none"
    value = format_number(metric["estimate"].get(metric["mean"]))
    interval = next(iter(recommended_intervals(metric).values()), None)
    return value if interval is None else f"{value} ({format_interval(interval)})"


def _describe(models: Mapping[str, Any], name: str) -> str:
    metric = next(
        model["metrics"][name] for model in models.values() if name in (model.get("metrics") or {})
    )
    better = "higher is better" if metric.get("higher_is_better", True) else "lower is better"
    return f"{MEANS.get(metric['mean'], metric['mean'])}; {better}"
