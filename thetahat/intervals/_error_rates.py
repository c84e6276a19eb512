"""Intervals for the error rate of one model: the layouts that they fit, counts and the result."""

from __future__ import annotations

import numpy as np

from thetahat.intervals._symmetric import Ends, drop_open_end
from thetahat.intervals.base import Interval
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, BlockKind, MeanKind, Target
from thetahat.variances._building import TRAINING_IGNORED


def explain_no_error_rate(name: str, layout: Layout) -> str | None:
    """Return why a layout is not one test set of independent instances; None if it is."""
    if layout.kind is not BlockKind.HOLDOUT:
        return (
            f"{name} is for a holdout, and these are {layout.kind.value} blocks: the models of "
            "different blocks have different error rates"
        )
    if not layout.has_rows:
        return f"{name} needs one loss per instance, and the data have one score per split"
    if layout.cluster is not None:
        return f"{name} takes the instances as independent, and these are in clusters"
    return None


def count_errors(losses: BlockLosses) -> tuple[int, int] | None:
    """Return the number of errors and of losses; None if a loss is neither 0 nor 1."""
    if explain_no_error_rate("", losses.layout) is not None:
        return None
    is_error = losses.rows == 1
    if not np.all(is_error | (losses.rows == 0)):
        return None
    return int(is_error.sum()), len(is_error)


def build_error_rate_interval(
    name: str,
    counts: tuple[int, int],
    ends: tuple[float, float],
    level: float,
    alternative: Alternative,
) -> Interval:
    """Return the interval with these ends; a one-sided interval gets one open end."""
    lower_upper: Ends = drop_open_end(ends[0], ends[1], alternative)
    return Interval(
        method=name,
        variance=None,
        target=Target.THESE_MODELS,
        mean=MeanKind.POOLED,
        estimate=counts[0] / counts[1],
        standard_error=None,
        level=level,
        alternative=alternative,
        lower=lower_upper[0],
        upper=lower_upper[1],
        degrees_of_freedom=None,
        cautions=(TRAINING_IGNORED,),
    )
