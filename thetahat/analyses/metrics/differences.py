"""The differences of a metric between the models of each comparison."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.optional_results import MetricDifference
from thetahat.analyses.losses.pair_family import choose_pair_alpha
from thetahat.analyses.losses.parts import ModelPair
from thetahat.analyses.losses.recommendation import get_recommended_by_target
from thetahat.analyses.losses.result_parts import ResultPart
from thetahat.analyses.metrics.cautions import list_cautions
from thetahat.analyses.metrics.inference import MetricInference, orient_alternative
from thetahat.analyses.metrics.metric_values import MetricValues
from thetahat.analyses.metrics.square_and_add import (
    DifferenceOfLimits,
    find_limits,
    infer_difference,
)
from thetahat.cautions import DIFFERENCE_IN_METRIC_UNITS, ZERO_VARIANCE, Caution
from thetahat.corrections import DEFAULT_CORRECTION, adjust
from thetahat.distributions import compute_p_value
from thetahat.metrics.base import Metric
from thetahat.values.types import Alternative, MeanKind
from thetahat.variances.base import VarianceEstimate


def build_differences(
    pairs: Sequence[ModelPair],
    metric: Metric,
    measured: Mapping[str, MetricValues],
    choices: Choices,
) -> dict[ModelPair, MetricDifference]:
    """Return one metric of every pair, p-values and intervals corrected over the pairs."""
    correction = choices.correction or DEFAULT_CORRECTION
    alpha = choose_pair_alpha(choices.alpha, len(pairs), correction)
    of_one_pair = choices if alpha == choices.alpha else replace(choices, level=1 - alpha)
    built: list[MetricDifference] = []
    limits = {
        name: find_limits(metric, measured[name], of_one_pair)
        for name in dict.fromkeys(name for pair in pairs for name in pair)
    }
    for a, b in pairs:
        difference = measured[a].minus(measured[b])
        reading, by_target = infer_difference(metric, limits[a], limits[b], difference, of_one_pair)
        if alpha != choices.alpha:
            reading = _mark_intervals(reading, choices.level, len(pairs))
        of_limits = by_target.get(reading.target)
        built.append(build_difference(metric, reading, choices, of_limits))
    return _adjust(pairs, built, correction)


def _mark_intervals(reading: MetricInference, level: float, n_pairs: int) -> MetricInference:
    """Return the intervals with the level at which those of all pairs hold together."""
    intervals = [
        replace(each, level=level, simultaneous_pairs=n_pairs) for each in reading.intervals
    ]
    return replace(reading, intervals=intervals)


def _adjust(
    pairs: Sequence[ModelPair], built: Sequence[MetricDifference], correction: str
) -> dict[ModelPair, MetricDifference]:
    """Return the differences by pair, with the p-values that are corrected over the pairs."""
    p_values = [difference.p_value for difference in built]
    adjusted = adjust(p_values, correction) if len(built) > 1 else [None] * len(built)
    return {
        pair: replace(difference, p_value_adjusted=p_value)
        for pair, difference, p_value in zip(pairs, built, adjusted, strict=True)
    }


def build_difference(
    metric: Metric,
    reading: MetricInference,
    choices: Choices,
    of_limits: DifferenceOfLimits | None = None,
) -> MetricDifference:
    """Return the difference of one pair; the p-value is not corrected.

    ``of_limits`` is the difference that the interval is about, where it rests on no variance.
    """
    measured, has_intervals = reading.measured, choices.includes(ResultPart.INTERVALS)
    rests_on_variance = of_limits is None
    difference, statistic, p_value, cautions = _summarise_difference(
        metric, reading, choices, of_limits
    )
    return MetricDifference(
        difference=difference,
        difference_pooled=measured.pooled,
        difference_macro=measured.macro,
        mean=reading.mean,
        variance=reading.variance if rests_on_variance else None,
        standard_error=reading.standard_error if rests_on_variance else None,
        method=reading.main[0] if rests_on_variance else None,
        degrees_of_freedom=reading.degrees_of_freedom if rests_on_variance else None,
        target=reading.target,
        interval=reading.interval,
        recommended=get_recommended_by_target(reading.intervals) if has_intervals else None,
        intervals=tuple(reading.intervals) if has_intervals else None,
        statistic=statistic,
        p_value=p_value,
        p_value_adjusted=None,
        alternative=orient_alternative(metric, choices.alternative),
        higher_is_better=metric.higher_is_better,
        cautions=tuple(dict.fromkeys(cautions)),
    )


def _summarise_difference(
    metric: Metric,
    reading: MetricInference,
    choices: Choices,
    of_limits: DifferenceOfLimits | None,
) -> tuple[float, float | None, float | None, Sequence[Caution]]:
    """Return difference, statistic, p-value and cautions."""
    measured = reading.measured
    difference = measured.macro if reading.mean is MeanKind.MACRO else measured.pooled
    alternative = orient_alternative(metric, choices.alternative)
    statistic, p_value, cautions = _test_difference(
        difference, reading.main[1] if of_limits is None else None, alternative
    )
    if of_limits is not None:
        p_value = of_limits.compute_p_value(alternative)
    if metric.higher_is_better:
        is_two_sided = choices.alternative is Alternative.TWO_SIDED
        more = "" if is_two_sided else f"; {choices.alternative.value} is reversed accordingly"
        cautions = (*cautions, DIFFERENCE_IN_METRIC_UNITS(more=more))
    return difference, statistic, p_value, (*cautions, *list_cautions(metric, measured))


def _test_difference(
    difference: float, variance: VarianceEstimate | None, alternative: Alternative
) -> tuple[float | None, float | None, tuple[Caution, ...]]:
    """Return statistic and p-value of the test that the difference is 0.

    Both are None where there is no variance. Where it is 0 there is no statistic, and equal values
    have a p-value of 1; that of others is unknown, as nothing shows how certain they are.
    """
    if variance is None or math.isnan(difference) or math.isnan(float(variance.value)):
        return None, None, ()
    value = float(variance.value)
    if value > 0:
        statistic = difference / math.sqrt(value)
        return statistic, compute_p_value(statistic, variance.degrees_of_freedom, alternative), ()
    p_value = 1.0 if difference == 0 else None
    rest = "no p-value" if p_value is None else "the p-value is 1"
    caution = ZERO_VARIANCE(
        reason="the difference does not vary", consequence=f"There is no statistic, and {rest}."
    )
    return None, p_value, (caution,)
