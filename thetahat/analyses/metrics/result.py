"""The metrics of a result: for each model and for each pair of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from thetahat.analyses.losses.choices import Choices, ChosenMethod
from thetahat.analyses.losses.optional_results import (
    MetricDifference,
    MetricMeans,
    MetricResult,
    ScoreCurves,
)
from thetahat.analyses.losses.pairs import list_places
from thetahat.analyses.losses.parts import NO_METRICS, MetricParts, ModelPair
from thetahat.analyses.losses.recommendation import get_recommended_by_target
from thetahat.analyses.losses.result_parts import ResultPart
from thetahat.analyses.metrics.cautions import check_intervals, list_cautions
from thetahat.analyses.metrics.differences import build_differences
from thetahat.analyses.metrics.inference import infer_metric
from thetahat.analyses.metrics.metric_values import MetricValues, measure
from thetahat.analyses.metrics.score_curves import describe_scores
from thetahat.metrics.base import Metric, TruthAndPredictions
from thetahat.values.json_values import JsonValue
from thetahat.values.layout import Layout
from thetahat.values.types import FloatArray, IntArray


def compute_metrics(  # noqa: PLR0913 - a metric needs the data, the layout and all choices
    metrics: Sequence[ChosenMethod[Metric]],
    judged: Mapping[str, TruthAndPredictions],
    layout: Layout,
    names: Sequence[str],
    choices: Choices,
    seed: int,
) -> MetricParts:
    """Return the metrics of every model and of every comparison.

    Parameters
    ----------
    metrics : sequence of ChosenMethod
        The metrics, already checked against the task and the classes.
    judged : mapping of str to TruthAndPredictions
        Truth and predictions by model, rows in the layout's order.
    names : sequence of str
        The models of the result.
    """
    if not metrics:
        return NO_METRICS
    pairs = [(names[i], names[j]) for i, j in list_places(names, choices.control)]
    models: dict[str, dict[str, MetricResult]] = {name: {} for name in names}
    differences: dict[ModelPair, dict[str, MetricDifference]] = {pair: {} for pair in pairs}
    for entry in metrics:
        metric, key = entry.method, entry.key
        measured = {name: measure(metric, judged[name], layout, seed) for name in names}
        for name in names:
            models[name][key] = build_metric_result(metric, measured[name], choices)
        built = build_differences(pairs, metric, measured, choices)
        for pair, difference in built.items():
            differences[pair][key] = difference
    has_curves = choices.includes(ResultPart.SCORE_CURVES) and any(
        entry.method.uses == "scores" for entry in metrics
    )
    return MetricParts(
        models=models,
        differences=differences,
        score_curves=_describe_scores(judged, names, layout, choices.level) if has_curves else {},
    )


def _describe_scores(
    judged: Mapping[str, TruthAndPredictions], names: Sequence[str], layout: Layout, level: float
) -> dict[str, ScoreCurves | None]:
    """Return the curves of every model that has scores of two classes."""
    rows = np.flatnonzero(layout.split_repeat[layout.get_split_of_row()] == 0)
    return {name: describe_scores(judged[name], rows, level) for name in names}


def build_metric_result(metric: Metric, measured: MetricValues, choices: Choices) -> MetricResult:
    """Return one metric of one model."""
    reading = infer_metric(metric, measured, choices, is_difference=False)
    by_block = choices.includes(ResultPart.BLOCKS)
    return MetricResult(
        estimate=MetricMeans(
            pooled=measured.pooled,
            macro=measured.macro,
            blocks=_average_by_block(measured) if by_block else None,
            splits=measured.splits if by_block and measured.layout.n_repeats > 1 else None,
        ),
        mean=reading.mean,
        variance=reading.variance,
        standard_error=reading.standard_error,
        method=reading.main[0],
        degrees_of_freedom=reading.degrees_of_freedom,
        target=reading.target,
        recommended=get_recommended_by_target(reading.intervals),
        intervals=tuple(reading.intervals) if choices.includes(ResultPart.INTERVALS) else None,
        variances=reading.variances if choices.includes(ResultPart.VARIANCES) else None,
        higher_is_better=metric.higher_is_better,
        cautions=(
            *list_cautions(metric, measured),
            *check_intervals(metric, reading.explain_missing_intervals()),
        ),
        details=_compute_details(metric, measured, choices),
    )


def _compute_details(
    metric: Metric, measured: MetricValues, choices: Choices
) -> Mapping[str, JsonValue]:
    """Return further numbers; only the area under the ROC curve has any, on sample sizes."""
    details = getattr(metric, "details", None)
    if details is None:
        return {}
    numbers: Mapping[str, JsonValue] = details(
        _select_strata_of_first_repeat(measured), measured.pooled, choices.level, choices.power
    )
    return numbers


def _select_strata_of_first_repeat(measured: MetricValues) -> IntArray | None:
    """Return the strata of the rows of the first repeat."""
    layout = measured.layout
    if measured.strata is None or layout.n_repeats == 1:
        return measured.strata
    return np.asarray(measured.strata[layout.split_repeat[layout.get_split_of_row()] == 0])


def _average_by_block(measured: MetricValues) -> FloatArray:
    """Return the (K,) averages by block label over the repeats that have a value."""
    layout, known = measured.layout, measured.defined
    n = len(layout.block_labels)
    block = layout.split_block[known]
    counts = np.bincount(block, minlength=n)
    sums = np.bincount(block, weights=measured.splits[known], minlength=n)
    return np.asarray(np.divide(sums, counts, out=np.full(n, np.nan), where=counts > 0))
