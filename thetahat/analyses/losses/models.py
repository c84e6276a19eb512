"""One model's part of a result: its means, variances and intervals."""

from __future__ import annotations

import numpy as np

from thetahat.analyses.losses.inference import Inference
from thetahat.analyses.losses.result import ErrorEstimate, Means, ModelResult
from thetahat.values.block_losses import BlockLosses


def build_model_result(losses: BlockLosses, inference: Inference) -> ModelResult:
    """Return what the result has of one model, without weighted risks and metrics."""
    layout = losses.layout
    return ModelResult(
        mean=compute_means(losses),
        n=layout.n_instances,
        blocks=layout.n_blocks,
        variances=inference.estimates,
        intervals=tuple(built.interval for built in inference.built),
        estimates=_error_estimates(inference) if inference.own_estimates else None,
    )


def _error_estimates(inference: Inference) -> dict[str, ErrorEstimate]:
    """Return the estimates of the error by key, each with the intervals about it."""
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
            intervals=tuple(
                built.interval for built in inference.built if built.interval.variance == key
            ),
        )
        for key, estimate in inference.own_estimates.items()
    }


def compute_means(losses: BlockLosses) -> Means:
    """Return macro and pooled mean and the block means; with repeats also the J split means."""
    layout, moments = losses.layout, losses.moments
    times = np.bincount(layout.split_block, minlength=len(layout.block_labels))
    sums = np.bincount(layout.split_block, weights=moments.deviations)
    return Means(
        macro=moments.macro_mean,
        pooled=moments.pooled_mean,
        blocks=moments.shift + sums / times,
        splits=moments.means if layout.n_repeats > 1 else None,
    )
