"""The difference of a metric that one of two models has at an end of its range.

A perfect model adds no variance to a difference, although its own value is far from certain. The
limits of the difference then come from the limits of both models.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.recommendation import BuiltInterval
from thetahat.analyses.metrics.at_limit import AT_LIMIT, find_reached_limit
from thetahat.analyses.metrics.inference import build_of_model, infer_metric
from thetahat.analyses.metrics.metric_values import MetricValues, choose_mean
from thetahat.analyses.metrics.variances import estimate_variances
from thetahat.distributions import compute_tail_probability
from thetahat.intervals.base import Interval, drop_open_end
from thetahat.metrics.base import Metric
from thetahat.registry import EVERY_BLOCK_KIND, SOURCES, MethodInfo
from thetahat.traits import Recommendation
from thetahat.values.types import Alternative, MeanKind, Target
from thetahat.variances.base import VarianceEstimate

SQUARE_AND_ADD: Final = MethodInfo(
    name="square_and_add",
    title="Difference by the limits of both models",
    summary=(
        "Where a metric of one of two models is at the end of its range, such as an area of 1, its "
        "variance is 0, and that of the difference leaves out how uncertain it is. The distances "
        "of the limits of both models from their values are squared and added. Their correlation "
        "is taken as 0, because it cannot be estimated at the end of a range; models that are "
        "tested on the same instances mostly have a positive one, which makes the interval too "
        "long. The p-value is the level at which the interval ends at 0."
    ),
    formula=r"\hat a - \hat b \mp \sqrt{(\hat a - l_a)^2 + (u_b - \hat b)^2}",
    references=("newcombe1998b", "zou2008"),
    recommended=(
        Recommendation(blocks=EVERY_BLOCK_KIND, target=Target.THESE_MODELS, own=1),
        Recommendation(blocks=SOURCES, target=Target.NEW_SOURCE, own=1),
    ),
)
_LEAST_TAIL: Final = 1e-9
"""Tails below it are not searched: intervals of a higher level are refused."""
_PRECISION: Final = 1e-9
"""Width of the bracket of the logarithm of a p-value at which the search stops."""


@dataclass(frozen=True)
class ModelLimits:
    """The limits of one model's metric at any level, by its recommended interval."""

    metric: Metric
    measured: MetricValues
    recommended: Interval

    @cached_property
    def _variances(self) -> dict[str, VarianceEstimate]:
        return estimate_variances(self.measured)

    def compute_distances(self, tail: float) -> tuple[float, float] | None:
        """Return the distances of the value from its lower and upper limit; None without limits."""
        own = self.recommended
        built = build_of_model(
            self.metric, self.measured, self._variances, 1 - 2 * tail, Alternative.TWO_SIDED
        )
        for entry in built:
            found = entry.interval
            if _get_place(found) != _get_place(own):
                continue
            assert found.lower is not None  # noqa: S101 - it has two sides
            assert found.upper is not None  # noqa: S101 - same
            low, high = self.metric.value_range
            return found.estimate - max(found.lower, low), min(found.upper, high) - found.estimate
        return None


@dataclass(frozen=True)
class DifferenceOfLimits:
    """The difference of two models, one of which is at an end of the range of the metric."""

    estimate: float
    mean: MeanKind
    target: Target
    a: ModelLimits
    b: ModelLimits

    def build(self, level: float, alternative: Alternative) -> BuiltInterval | None:
        """Return the interval; None where a model has no limits at this level."""
        ends = self._find_ends(compute_tail_probability(level, alternative))
        if ends is None:
            return None
        lower, upper = drop_open_end(*ends, alternative)
        interval = Interval(
            method=SQUARE_AND_ADD.name,
            variance=None,
            target=self.target,
            mean=self.mean,
            estimate=self.estimate,
            standard_error=None,
            level=level,
            alternative=alternative,
            lower=lower,
            upper=upper,
            degrees_of_freedom=None,
            cautions=(*self.a.recommended.cautions, *self.b.recommended.cautions),
        )
        return BuiltInterval(interval, SQUARE_AND_ADD, None)

    def compute_p_value(self, alternative: Alternative) -> float:
        """Return the p-value of no difference, at which the interval ends at 0.

        It is not below 2e-9. At the end of a range limits do not meet at any level, and values
        between them have a p-value of 1, one-sided one half.
        """
        above, below = (self._find_tail(side) for side in (0, 1))
        if alternative is Alternative.TWO_SIDED:
            return 2 * min(above, below)
        first, second = (above, below) if alternative is Alternative.GREATER else (below, above)
        return first if first < 0.5 else 1 - second

    def _find_ends(self, tail: float) -> tuple[float, float] | None:
        a, b = self.a.compute_distances(tail), self.b.compute_distances(tail)
        return None if a is None or b is None else add_distances(self.estimate, a, b)

    def _find_tail(self, side: int) -> float:
        """Return the tail at which the lower or upper end is 0, at most one half."""

        def excludes(tail: float) -> bool:
            ends = self._find_ends(tail)
            return ends is not None and (ends[0] > 0 if side == 0 else ends[1] < 0)

        return find_least_tail(excludes)


def add_distances(
    difference: float, a: tuple[float, float], b: tuple[float, float]
) -> tuple[float, float]:
    r"""Return the ends of a difference from the distances of both values from their limits.

    .. math:: \hat a - \hat b - \sqrt{(\hat a - l_a)^2 + (u_b - \hat b)^2}, \quad
        \hat a - \hat b + \sqrt{(u_a - \hat a)^2 + (\hat b - l_b)^2}

    Source: zou2008, with a correlation of 0; for two shares with Wilson's limits it is method 10
    of newcombe1998b.
    """
    return difference - math.hypot(a[0], b[1]), difference + math.hypot(a[1], b[0])


def find_least_tail(excludes: Callable[[float], bool]) -> float:
    """Return the least tail of which the end excludes 0, between ``_LEAST_TAIL`` and one half."""
    low, high = math.log(_LEAST_TAIL), math.log(0.5)
    if not excludes(0.5 - _LEAST_TAIL):
        return 0.5
    if excludes(_LEAST_TAIL):
        return _LEAST_TAIL
    while high - low > _PRECISION:
        middle = (low + high) / 2
        if excludes(math.exp(middle)):
            high = middle
        else:
            low = middle
    return math.exp(high)


def find_differences_of_limits(
    metric: Metric, a: MetricValues, b: MetricValues, difference: MetricValues, choices: Choices
) -> list[DifferenceOfLimits]:
    """Return the difference for each target for which a model is at an end of the range."""
    mean = choose_mean(metric, difference)
    estimate = difference.macro if mean is MeanKind.MACRO else difference.pooled
    if all(find_reached_limit(one, mean, metric.value_range) is None for one in (a, b)):
        return []
    two_sided = replace(choices, alternative=Alternative.TWO_SIDED)
    found = []
    of_models = [
        {
            interval.target: ModelLimits(metric, one, interval)
            for interval in infer_metric(metric, one, two_sided, is_difference=False).intervals
            if interval.recommended and interval.mean is mean
        }
        for one in (a, b)
    ]
    for target, of_a in of_models[0].items():
        of_b = of_models[1].get(target)
        if of_b is not None and AT_LIMIT.name in {
            of_a.recommended.method,
            of_b.recommended.method,
        }:
            found.append(DifferenceOfLimits(estimate, mean, target, of_a, of_b))
    return found


def _get_place(interval: Interval) -> tuple[object, ...]:
    return interval.method, interval.variance, interval.target, interval.mean
