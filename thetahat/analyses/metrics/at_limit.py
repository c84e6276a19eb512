"""The interval of a metric that is at an end of its range, such as an area of exactly 1.

Nothing varies there, so no interval can be built on a variance. What a test set without a single
error excludes follows from the number of its independent units alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np

from thetahat.analyses.losses.recommendation import BuiltInterval
from thetahat.analyses.metrics.metric_values import MetricValues
from thetahat.distributions import compute_tail_probability
from thetahat.intervals.base import Interval, drop_open_end
from thetahat.registry import EVERY_BLOCK_KIND, SOURCES, MethodInfo
from thetahat.traits import Recommendation
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, BlockKind, MeanKind, Target
from thetahat.variances._building import TRAINING_IGNORED

AT_LIMIT: Final = MethodInfo(
    name="no_error_bound",
    title="Bound of a metric at the end of its range",
    summary=(
        "Where a metric is at the end of its range, such as an area of 1, the farthest value that "
        "k independent units without an error do not exclude. For shares (recall, precision) it is "
        "the Clopper-Pearson interval of k of k; for the area under the ROC curve k is the size of "
        "the smaller class, and the bound holds whatever the distributions of the scores. Where "
        "instances come in clusters, clusters are counted."
    ),
    formula=r"[\, (\alpha/2)^{1/k},\ 1 \,]",
    references=("clopper1934",),
    recommended=(
        Recommendation(blocks=EVERY_BLOCK_KIND, target=Target.THESE_MODELS, own=5),
        Recommendation(blocks=SOURCES, target=Target.NEW_SOURCE, own=5),
    ),
)
_ROUNDING: Final = 1e-12
"""By how much a mean of values at a limit may differ from it."""


def build_at_limit(
    measured: MetricValues,
    mean: MeanKind,
    limits: tuple[float, float],
    level: float,
    alternative: Alternative,
) -> Iterator[BuiltInterval]:
    r"""Yield the bound of the trained models, and over sources that of a new source.

    None where the metric is not at an end of its range. The value of a new source lies within the
    range and averages to M, so a share of at most M (as a place in the range) of all sources is at
    its upper end, and K sources there exclude values below :math:`(\alpha/2)^{1/K}`.
    """
    limit = find_reached_limit(measured, mean, limits)
    if limit is None:
        return
    tail = compute_tail_probability(level, alternative)
    parts = measured.blocks_without_error if mean is MeanKind.MACRO else measured.rows_without_error
    bound = None if parts is None or not parts.statistics else parts.find_bound(tail, limit)
    if bound is not None:
        yield _build(Target.THESE_MODELS, mean, limit, bound, level, alternative, measured.layout)
    if measured.layout.kind is BlockKind.SOURCE and mean is MeanKind.MACRO:
        k = int(np.count_nonzero(measured.defined & (measured.layout.split_repeat == 0)))
        distance = (limits[1] - limits[0]) * (1 - tail ** (1 / k))
        bound = limit - distance if limit == limits[1] else limit + distance
        yield _build(Target.NEW_SOURCE, mean, limit, bound, level, alternative, measured.layout)


def find_reached_limit(
    measured: MetricValues, mean: MeanKind, limits: tuple[float, float]
) -> float | None:
    """Return the end of a finite range that the metric is at; None where it is at none."""
    if not math.isfinite(limits[1] - limits[0]):
        return None
    estimate = measured.macro if mean is MeanKind.MACRO else measured.pooled
    return next((limit for limit in limits if abs(estimate - limit) <= _ROUNDING), None)


def _build(  # noqa: PLR0913 - one argument for each field that differs
    target: Target,
    mean: MeanKind,
    limit: float,
    bound: float,
    level: float,
    alternative: Alternative,
    layout: Layout,
) -> BuiltInterval:
    lower, upper = drop_open_end(min(limit, bound), max(limit, bound), alternative)
    ignored = target is Target.THESE_MODELS and not layout.has_fixed_models
    interval = Interval(
        method=AT_LIMIT.name,
        variance=None,
        target=target,
        mean=mean,
        estimate=limit,
        standard_error=None,
        level=level,
        alternative=alternative,
        lower=lower,
        upper=upper,
        degrees_of_freedom=None,
        cautions=(TRAINING_IGNORED,) if ignored else (),
    )
    return BuiltInterval(interval, AT_LIMIT, None)
