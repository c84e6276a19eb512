"""One model's part of a result: its means, variances and intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.expected_coverage import look_up_coverage
from thetahat.analyses.losses.inference import Inference
from thetahat.analyses.losses.parts import Parts
from thetahat.analyses.losses.recommendation import get_recommended_by_target
from thetahat.analyses.losses.result import Means, ModelResult
from thetahat.analyses.losses.result_parts import ResultPart
from thetahat.intervals.base import Interval
from thetahat.values.block_losses import BlockLosses

if TYPE_CHECKING:
    from thetahat.analyses.losses.judge_result import JudgeResult
    from thetahat.analyses.losses.optional_results import ErrorEstimate


def build_model_result(
    name: str,
    losses: BlockLosses,
    inference: Inference,
    choices: Choices,
    parts: Parts,
) -> ModelResult:
    """Return one model's part of the result."""
    layout = losses.layout
    built_intervals = look_up_coverage(layout).add_to(inference.built, losses, "model")
    intervals = tuple(parts.calibrate(name, built.interval) for built in built_intervals)
    predictions = [
        built.interval for built in inference.built if built.method.interval.is_prediction
    ]
    return ModelResult(
        mean=compute_means(losses, by_block=choices.includes(ResultPart.BLOCKS)),
        n=layout.n_instances,
        blocks=layout.n_blocks,
        recommended=get_recommended_by_target(intervals),
        prediction=parts.calibrate(name, predictions[0]) if predictions else None,
        variances=inference.estimates if choices.includes(ResultPart.VARIANCES) else None,
        intervals=intervals if choices.includes(ResultPart.INTERVALS) else None,
        estimates=_list_error_estimates(inference, intervals) if inference.own_estimates else None,
        risks=parts.risks.models.get(name),
        metrics=parts.metrics.models.get(name),
        score_curves=parts.metrics.score_curves.get(name),
        runs=None
        if parts.runs is None
        else parts.runs.summarise_model(name, layout, choices.level),
        judge=describe_grades(losses, repr(name), choices.level),
    )


def describe_grades(
    losses: BlockLosses, subject: str, level: float, *, is_difference: bool = False
) -> JudgeResult | None:
    """Return what the grades of a judge added to the labels; None without grades."""
    if losses.grades is None:
        return None
    from thetahat.analyses.losses.judging import describe_judge  # noqa: PLC0415 - seldom needed

    return describe_judge(losses, subject, level, is_difference=is_difference)


def _list_error_estimates(
    inference: Inference, intervals: Sequence[Interval]
) -> dict[str, ErrorEstimate]:
    """Return the estimates of the error by key, each with the intervals about it."""
    from thetahat.analyses.losses.optional_results import ErrorEstimate  # noqa: PLC0415 - same

    return {
        key: ErrorEstimate(
            estimate=estimate.estimate,
            variance=estimate.value,
            target=estimate.target,
            mean=estimate.mean,
            standard_error=estimate.standard_error,
            degrees_of_freedom=estimate.degrees_of_freedom,
            usable=estimate.usable,
            cautions=estimate.cautions,
            details=estimate.details,
            intervals=tuple(interval for interval in intervals if interval.variance == key),
        )
        for key, estimate in inference.own_estimates.items()
    }


def compute_means(losses: BlockLosses, *, by_block: bool = True) -> Means:
    """Return macro and pooled mean and the block means; with repeats also the J split means."""
    layout, moments = losses.layout, losses.moments
    if not by_block:
        return Means(macro=moments.macro_mean, pooled=moments.pooled_mean)
    times = np.bincount(layout.split_block, minlength=len(layout.block_labels))
    sums = np.bincount(layout.split_block, weights=moments.deviations)
    return Means(
        macro=moments.macro_mean,
        pooled=moments.pooled_mean,
        blocks=moments.shift + sums / times,
        splits=moments.means if layout.n_repeats > 1 else None,
    )
