"""Metrics of a result as text: those that are no averages of losses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thetahat_client.tables import WIDTH, ends, number, recommended, table, wrapped


def metrics_table(result: Mapping[str, Any], width: int = WIDTH) -> str:
    """Return one row per model and one column per metric, with its recommended interval.

    Nothing where the models have no metrics.
    """
    models: Mapping[str, Any] = result["models"]
    keys = list(dict.fromkeys(key for model in models.values() for key in model.get("metrics", {})))
    if not keys:
        return ""
    rows = [[name, *(metric_cell(model, key) for key in keys)] for name, model in models.items()]
    means = {key: _means(models, key) for key in keys}
    notes = [f"{key}: {words}" for key, words in means.items() if words]
    return "\n".join([table(["model", *keys], rows), *wrapped(notes, width, bullet="")])


def metric_cell(holder: Mapping[str, Any], key: str) -> str:
    """Return a metric with the ends of its interval, as one cell."""
    metric = holder.get("metrics", {}).get(key)
    if metric is None:
        return "none"
    value = number(metric["estimate"].get(metric["mean"]))
    interval = next(iter(recommended(metric).values()), None)
    return value if interval is None else f"{value} ({ends(interval)})"


def _means(models: Mapping[str, Any], key: str) -> str:
    found = [model["metrics"][key] for model in models.values() if key in model.get("metrics", {})]
    which = {"macro": "the mean of the splits", "pooled": "over all rows together"}
    better = "higher is better" if found[0].get("higher_is_better", True) else "lower is better"
    return f"{which.get(found[0]['mean'], found[0]['mean'])}; {better}"
