"""Intervals that rest less on the largest losses: the layouts that they fit, and the result."""

from __future__ import annotations

from thetahat.cautions import Caution
from thetahat.intervals._symmetric import drop_open_end
from thetahat.intervals.base import Interval
from thetahat.registry import MethodInfo
from thetahat.values.json_values import JsonValue
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, MeanKind, Target
from thetahat.variances._applicability import explain_wrong_block_kind
from thetahat.variances._building import TRAINING_IGNORED


def explain_no_robust_interval(info: MethodInfo, layout: Layout) -> str | None:
    """Return why a layout is not one loss for each of many independent instances; None if it is."""
    if reason := explain_wrong_block_kind(info, layout):
        return reason
    if not layout.has_rows:
        return f"{info.name} needs one loss per instance, and the data have one score per split"
    if layout.cluster is not None:
        return f"{info.name} takes the instances as independent, and these are in clusters"
    if not layout.has_one_row_each:
        return f"{info.name} needs one loss of each instance, and these have several"
    if layout.n_rows < 2:
        return f"{info.name} needs at least two instances, and there is {layout.n_rows}"
    return None


def build_robust_interval(  # noqa: PLR0913 - one argument for each field that differs
    info: MethodInfo,
    estimate: float,
    ends: tuple[float, float],
    level: float,
    alternative: Alternative,
    *,
    standard_error: float | None = None,
    degrees_of_freedom: float | None = None,
    cautions: tuple[Caution, ...] = (),
    details: dict[str, JsonValue],
) -> Interval:
    """Return the interval; a one-sided interval gets one open end."""
    lower, upper = drop_open_end(*ends, alternative)
    return Interval(
        method=info.name,
        variance=None,
        target=Target.THESE_MODELS,
        mean=MeanKind.POOLED,
        estimate=estimate,
        standard_error=standard_error,
        level=level,
        alternative=alternative,
        lower=lower,
        upper=upper,
        degrees_of_freedom=degrees_of_freedom,
        cautions=(*cautions, TRAINING_IGNORED),
        details=details,
    )
