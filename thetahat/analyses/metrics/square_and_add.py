"""The difference of a metric of two models, by the limits of both.

The variance of a difference is not enough where one of the models makes few errors: it is estimated
from these few, and a perfect model, or a class without an error, adds nothing to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import scipy

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.recommendation import BuiltInterval
from thetahat.analyses.metrics.area_score import AREA_SCORE, count_errors
from thetahat.analyses.metrics.at_limit import AT_LIMIT
from thetahat.analyses.metrics.inference import (
    MetricInference,
    build_of_model,
    infer_metric,
    orient_alternative,
)
from thetahat.analyses.metrics.intervals import LOGIT
from thetahat.analyses.metrics.limits_of_shares import LIMITS_OF_SHARES
from thetahat.analyses.metrics.mean_of_rates import MEAN_OF_RATES, build_mean_of_rates
from thetahat.analyses.metrics.metric_values import MetricValues, choose_mean
from thetahat.analyses.metrics.metric_variance import MetricVariance
from thetahat.analyses.metrics.variances import estimate_variances
from thetahat.analyses.thresholds import FEWEST_ERRORS
from thetahat.distributions import compute_tail_probability, compute_upper_quantile
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
        "Where one of two models makes few errors, or none, the variance of the difference is "
        "estimated from these few. The distances of the limits of both models from their values "
        "are squared and added, less what both models have in common, by the correlation r of "
        "their values. At the end of a range, such as an area of 1, it cannot be estimated and is "
        "taken as 0, which makes the interval too long where models err alike. Areas and average "
        "precisions have limits with quantiles of t, and the normal interval on the variance of "
        "the difference is inside. It is used below three errors or hits "
        "(a value p with variance V is worth p (1 - p)^2 / V errors), and for every difference of "
        "balanced accuracies. The p-value is the level at which the interval ends at 0."
    ),
    formula=r"\hat a - \hat b \mp \sqrt{(\hat a - l_a)^2 + (u_b - \hat b)^2 "
    r"- 2 r (\hat a - l_a)(u_b - \hat b)}",
    references=("newcombe1998", "newcombe1998b", "zou2008"),
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

    @property
    def variance(self) -> VarianceEstimate | None:
        """The variance that the correlation of two models is estimated with; None at a limit."""
        return None if self.variance_name is None else self._variances[self.variance_name]

    @property
    def variance_name(self) -> str | None:
        """Its name."""
        if self.recommended.method != MEAN_OF_RATES.name:
            return self.recommended.variance
        robust = MetricVariance.CLUSTER_ROBUST
        return robust if robust in self._variances else self.measured.variance

    @property
    def is_by_few_errors(self) -> bool:
        """Whether the value rests on too few errors, or hits, for the variance of a difference."""
        own, (low, high) = self.recommended, self.metric.value_range
        if own.method in {MEAN_OF_RATES.name, AT_LIMIT.name}:
            return True
        if own.method != LOGIT.name or own.standard_error is None:
            return False
        place, error = (own.estimate - low) / (high - low), own.standard_error / (high - low)
        return count_errors(place, error**2) < FEWEST_ERRORS

    @cached_property
    def _variances(self) -> dict[str, VarianceEstimate]:
        return estimate_variances(self.measured)

    def compute_distances(self, tail: float) -> tuple[float, float] | None:
        """Return the distances of the value from its lower and upper limit; None without limits."""
        own, limits = self.recommended, self.metric.value_range
        for entry in self._build(1 - 2 * tail):
            found = entry.interval
            if _get_place(found) != _get_place(own):
                continue
            if found.lower is None or found.upper is None:
                return None
            return (
                found.estimate - max(found.lower, limits[0]),
                min(found.upper, limits[1]) - found.estimate,
            )
        return None

    def _build(self, level: float) -> Iterator[BuiltInterval]:
        known, two_sided = self._variances, Alternative.TWO_SIDED
        if self.recommended.method == MEAN_OF_RATES.name:
            robust = known.get(MetricVariance.CLUSTER_ROBUST)
            return build_mean_of_rates(self.measured, robust, level, two_sided)
        return build_of_model(self.metric, self.measured, known, level, two_sided)


@dataclass(frozen=True)
class DifferenceOfLimits:
    """The difference of two models, one of which makes few errors."""

    estimate: float
    mean: MeanKind
    target: Target
    correlation: float
    variance: VarianceEstimate | None
    """The variance of the difference, whose interval is inside this one; None of other metrics."""
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
        if a is None or b is None:
            return None
        lower, upper = add_distances(self.estimate, a, b, self.correlation)
        if self.variance is None or self.variance.standard_error is None:
            return lower, upper
        q = compute_upper_quantile(tail, self.variance.degrees_of_freedom)
        reach = q * self.variance.standard_error
        return min(lower, self.estimate - reach), max(upper, self.estimate + reach)

    def _find_tail(self, side: int) -> float:
        """Return the tail at which the lower or upper end is 0, at most one half."""
        sign = 1 if side == 0 else -1
        if sign * self.estimate <= 0:
            return 0.5

        def compute_end(log_tail: float) -> float:
            ends = self._find_ends(math.exp(log_tail))
            return -1.0 if ends is None else sign * ends[side]

        low, high = math.log(_LEAST_TAIL), math.log(0.5 - _LEAST_TAIL)
        if compute_end(high) <= 0:
            return 0.5
        if compute_end(low) > 0:
            return _LEAST_TAIL
        return math.exp(scipy.optimize.brentq(compute_end, low, high, xtol=_PRECISION))


def add_distances(
    difference: float, a: tuple[float, float], b: tuple[float, float], correlation: float = 0.0
) -> tuple[float, float]:
    r"""Return the ends of a difference from the distances of both values from their limits.

    .. math:: \hat a - \hat b - \sqrt{(\hat a - l_a)^2 + (u_b - \hat b)^2
        - 2 r (\hat a - l_a) (u_b - \hat b)}, \quad
        \hat a - \hat b + \sqrt{(u_a - \hat a)^2 + (\hat b - l_b)^2
        - 2 r (u_a - \hat a) (\hat b - l_b)}

    Source: zou2008; for two independent shares with Wilson's limits it is method 10 of
    newcombe1998b, and for paired ones method 8 of newcombe1998.
    """
    reaches = (
        math.sqrt(max(x**2 + y**2 - 2 * correlation * x * y, 0.0))
        for x, y in ((a[0], b[1]), (a[1], b[0]))
    )
    below, above = reaches
    return difference - below, difference + above


def find_limits(
    metric: Metric, measured: MetricValues, choices: Choices
) -> dict[Target, ModelLimits]:
    """Return the limits of one model for each target."""
    two_sided = replace(choices, alternative=Alternative.TWO_SIDED)
    intervals = infer_metric(metric, measured, two_sided, is_difference=False).intervals
    return {
        own.target: ModelLimits(metric, measured, _replace_by_logit(own, intervals))
        for own in intervals
        if own.recommended
    }


def _replace_by_logit(own: Interval, intervals: Sequence[Interval]) -> Interval:
    """Return the logit interval that is inside the own one of an area or an agreement.

    By logit limits differences of areas are covered in .95 and more of the samples already. With 12
    positives of 120 and areas of .99 and .90 they find .66 of the differences, score limits .48.
    """
    if own.method not in {AREA_SCORE.name, LIMITS_OF_SHARES.name}:
        return own
    place = (LOGIT.name, *_get_place(own)[1:])
    return next(each for each in intervals if _get_place(each) == place)


def infer_difference(
    metric: Metric,
    of_a: Mapping[Target, ModelLimits],
    of_b: Mapping[Target, ModelLimits],
    difference: MetricValues,
    choices: Choices,
) -> tuple[MetricInference, dict[Target, DifferenceOfLimits]]:
    """Return variances and intervals of a difference, and what rests on the limits of both."""
    alternative = orient_alternative(metric, choices.alternative)
    by_target, more = {}, []
    for each in find_differences_of_limits(metric, of_a, of_b, difference):
        entry = each.build(choices.level, alternative)
        if entry is not None:
            by_target[each.target] = each
            more.append(entry)
    return infer_metric(metric, difference, choices, is_difference=True, more=more), by_target


def find_differences_of_limits(
    metric: Metric,
    of_a: Mapping[Target, ModelLimits],
    of_b: Mapping[Target, ModelLimits],
    difference: MetricValues,
) -> list[DifferenceOfLimits]:
    """Return the difference for each target for which one of the models makes few errors."""
    mean = choose_mean(metric, difference)
    estimate = difference.macro if mean is MeanKind.MACRO else difference.pooled
    found = []
    for target in of_a.keys() & of_b.keys():
        a, b = of_a[target], of_b[target]
        if {a.recommended.mean, b.recommended.mean} != {mean}:
            continue
        correlation = _correlate(a, b, difference, target)
        if correlation is not None:
            variance = _find_variance(metric, a, b, difference)
            found.append(DifferenceOfLimits(estimate, mean, target, correlation, variance, a, b))
    return found


def _find_variance(
    metric: Metric, a: ModelLimits, b: ModelLimits, difference: MetricValues
) -> VarianceEstimate | None:
    """Return the variance of the difference, of metrics of scores; None of others.

    With 8 positives of 240 and equal areas of .96 logit limits of both models alone differ in .088
    of the samples, and with this interval inside in .015.
    """
    name = a.variance_name or b.variance_name
    if metric.uses != "scores" or name is None:
        return None
    return estimate_variances(difference)[name]


def _correlate(
    a: ModelLimits, b: ModelLimits, difference: MetricValues, target: Target
) -> float | None:
    """Return the correlation of both values; None where the variance of the difference is used.

    It is 0 where it cannot be estimated: at the end of a range, and where both err on the same
    instances of few, which does not show that they always do.
    """
    methods = {a.recommended.method, b.recommended.method}
    if AT_LIMIT.name in methods:
        return 0.0
    if target is not Target.THESE_MODELS or not (a.is_by_few_errors or b.is_by_few_errors):
        return None
    first, second, name = a.variance, b.variance, a.variance_name
    if name is None or name != b.variance_name or first is None or second is None:
        return None
    of_a, of_b = float(first.value), float(second.value)
    of_difference = float(estimate_variances(difference)[name].value)
    if math.isnan(of_difference):
        return None
    if not min(of_a, of_b, of_difference) > 0:
        return 0.0
    return max(-1.0, min(1.0, (of_a + of_b - of_difference) / (2 * math.sqrt(of_a * of_b))))


def _get_place(interval: Interval) -> tuple[object, ...]:
    return interval.method, interval.variance, interval.target, interval.mean
