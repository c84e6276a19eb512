"""Metrics as the result has them: by model, and by pair of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from thetahat.analyses.losses.choices import Choices, Chosen
from thetahat.analyses.metrics.cautions import of_metric
from thetahat.analyses.metrics.differences import add_differences, spread_told
from thetahat.analyses.metrics.inference import Reading, read
from thetahat.analyses.metrics.metric_values import Measured, measure
from thetahat.metrics.base import Judged, Metric
from thetahat.values.json_values import plain, to_json, told
from thetahat.values.layout import Layout
from thetahat.values.types import IntArray


def add_metrics(  # noqa: PLR0913 - the result, what is measured, on what, and how it is read
    result: dict[str, Any],
    metrics: Sequence[Chosen[Metric]],
    judged: Mapping[str, Judged],
    layout: Layout,
    choices: Choices,
    seed: int,
) -> None:
    """Put the metrics into a result tree: under ``models`` and under ``comparisons``.

    Parameters
    ----------
    result : dict
        What ``evaluate`` returned; its models and pairs are those that are measured.
    metrics : sequence of Chosen
        Checked against the task and the classes.
    judged : mapping of str to Judged
        By model, rows in the layout's order.
    """
    for entry in metrics:
        measured = {
            name: measure(entry.method, judged[name], layout, seed) for name in result["models"]
        }
        for name, tree in result["models"].items():
            reading = read(entry.method, measured[name], choices, is_difference=False)
            tree.setdefault("metrics", {})[entry.key] = _metric_told(entry.method, reading, choices)
        add_differences(result, entry.key, entry.method, measured, choices)


def _metric_told(metric: Metric, reading: Reading, choices: Choices) -> dict[str, Any]:
    measured = reading.measured
    name, spread = reading.main
    layout = measured.layout
    estimate: dict[str, Any] = {
        "pooled": measured.pooled,
        "macro": measured.macro,
        "blocks": _by_block(measured),
    }
    if layout.n_repeats > 1:
        estimate["splits"] = measured.splits
    # only the area under the ROC curve has a sample-size formula of its own
    details = getattr(metric, "details", _no_details)
    return {
        "estimate": plain(estimate),
        "mean": reading.mean.value,
        **spread_told(name, spread),
        "target": reading.target.value,
        "intervals": to_json(reading.intervals),
        "variances": to_json(reading.variances),
        "higher_is_better": metric.higher_is_better,
        "cautions": told(of_metric(metric, measured)),
        **plain(details(_strata_once(measured), measured.pooled, choices.level, choices.power)),
    }


def _strata_once(measured: Measured) -> IntArray | None:
    """Strata of the rows of one repeat."""
    layout = measured.layout
    if measured.strata is None or layout.n_repeats == 1:
        return measured.strata
    return np.asarray(measured.strata[layout.split_repeat[layout.split_of_row()] == 0])


def _no_details(*_: Any) -> dict[str, Any]:
    return {}


def _by_block(measured: Measured) -> list[float]:
    """(K,) of each block label, averaged over the repeats that have a value."""
    layout, known = measured.layout, measured.defined
    n = len(layout.block_labels)
    block = layout.split_block[known]
    counts = np.bincount(block, minlength=n)
    sums = np.bincount(block, weights=measured.splits[known], minlength=n)
    blocks: list[float] = np.divide(sums, counts, out=np.full(n, np.nan), where=counts > 0).tolist()
    return blocks
