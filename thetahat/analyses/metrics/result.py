"""Adding metrics to a result: for each model and for each pair of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from thetahat.analyses.losses.choices import Choices, ChosenMethod
from thetahat.analyses.losses.recommendation import get_recommended_by_target
from thetahat.analyses.losses.result import EvaluationResult, MetricMeans, MetricResult, ModelResult
from thetahat.analyses.metrics.cautions import list_cautions
from thetahat.analyses.metrics.differences import add_differences
from thetahat.analyses.metrics.inference import infer_metric
from thetahat.analyses.metrics.metric_values import MetricValues, measure
from thetahat.analyses.metrics.score_curves import describe_scores
from thetahat.metrics.base import Metric, TruthAndPredictions
from thetahat.values.json_values import JsonValue
from thetahat.values.layout import Layout
from thetahat.values.types import FloatArray, IntArray


def add_metrics(  # noqa: PLR0913 - a metric needs the data, the layout and all choices
    result: EvaluationResult,
    metrics: Sequence[ChosenMethod[Metric]],
    judged: Mapping[str, TruthAndPredictions],
    layout: Layout,
    choices: Choices,
    seed: int,
) -> EvaluationResult:
    """Return the result with the metrics in every model and in every comparison.

    Parameters
    ----------
    result : EvaluationResult
        Every metric is computed for its models and its pairs.
    metrics : sequence of ChosenMethod
        The metrics, already checked against the task and the classes.
    judged : mapping of str to TruthAndPredictions
        Truth and predictions by model, rows in the layout's order.
    """
    for entry in metrics:
        measured = {
            name: measure(entry.method, judged[name], layout, seed) for name in result.models
        }
        models = {
            name: _add_metric(
                model,
                entry.key,
                build_metric_result(
                    entry.method, measured[name], choices, in_brief=result.detail == "brief"
                ),
            )
            for name, model in result.models.items()
        }
        result = replace(result, models=models)
        result = add_differences(result, entry.key, entry.method, measured, choices)
    if any(entry.method.uses == "scores" for entry in metrics):
        result = _add_score_curves(result, judged, layout, choices.level)
    return result


def _add_score_curves(
    result: EvaluationResult,
    judged: Mapping[str, TruthAndPredictions],
    layout: Layout,
    level: float,
) -> EvaluationResult:
    """Return the result with the curves of every model that has scores of two classes."""
    rows = np.flatnonzero(layout.split_repeat[layout.get_split_of_row()] == 0)
    models = {
        name: replace(model, score_curves=describe_scores(judged[name], rows, level))
        for name, model in result.models.items()
    }
    return replace(result, models=models)


def _add_metric(model: ModelResult, key: str, metric: MetricResult) -> ModelResult:
    return replace(model, metrics={**(model.metrics or {}), key: metric})


def build_metric_result(
    metric: Metric, measured: MetricValues, choices: Choices, *, in_brief: bool
) -> MetricResult:
    """Return one metric of one model; in brief, only the recommended intervals."""
    reading = infer_metric(metric, measured, choices, is_difference=False)
    return MetricResult(
        estimate=MetricMeans(
            pooled=measured.pooled,
            macro=measured.macro,
            blocks=_average_by_block(measured),
            splits=measured.splits if measured.layout.n_repeats > 1 else None,
        ),
        mean=reading.mean,
        variance=reading.variance,
        standard_error=reading.standard_error,
        method=reading.main[0],
        degrees_of_freedom=reading.degrees_of_freedom,
        target=reading.target,
        recommended=get_recommended_by_target(reading.intervals),
        intervals=None if in_brief else tuple(reading.intervals),
        variances=None if in_brief else reading.variances,
        higher_is_better=metric.higher_is_better,
        cautions=list_cautions(metric, measured),
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
