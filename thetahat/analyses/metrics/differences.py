"""Adding the differences of a metric between models to the comparisons of a result."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from thetahat.analyses.losses.brief_comparisons import SharedCautions
from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.recommendation import get_recommended_by_target
from thetahat.analyses.losses.result import (
    AnyComparison,
    BriefComparison,
    CautionPlace,
    Comparison,
    EvaluationResult,
    MetricDifference,
)
from thetahat.analyses.metrics.cautions import list_cautions
from thetahat.analyses.metrics.inference import MetricInference, infer_metric, orient_alternative
from thetahat.analyses.metrics.metric_values import MetricValues
from thetahat.cautions import DIFFERENCE_IN_METRIC_UNITS, ZERO_VARIANCE, Caution
from thetahat.corrections import adjust
from thetahat.distributions import compute_p_value
from thetahat.metrics.base import Metric
from thetahat.values.types import Alternative, MeanKind
from thetahat.variances.base import VarianceEstimate


def add_differences(
    result: EvaluationResult,
    key: str,
    metric: Metric,
    measured: Mapping[str, MetricValues],
    choices: Choices,
) -> EvaluationResult:
    """Return the result with one metric in every comparison, p-values corrected over the pairs.

    Comparisons in brief have only the numbers; each caution is written once for all of them.
    """
    full = [pair for pair in result.comparisons if isinstance(pair, Comparison)]
    brief = [pair for pair in result.comparisons if isinstance(pair, BriefComparison)]
    if result.detail == "brief":
        return _add_brief_differences(result, brief, key, metric, measured, choices)
    built = [
        build_difference(metric, _read(metric, measured, pair, choices), choices) for pair in full
    ]
    adjusted = _adjust([difference.p_value for difference in built], choices.correction)
    comparisons = tuple(
        replace(
            pair,
            metrics={**(pair.metrics or {}), key: replace(difference, p_value_adjusted=p_value)},
        )
        for pair, difference, p_value in zip(full, built, adjusted, strict=True)
    )
    return replace(result, comparisons=comparisons)


def _adjust(p_values: Sequence[float | None], correction: str) -> Sequence[float | None]:
    return adjust(p_values, correction) if len(p_values) > 1 else [None] * len(p_values)


def build_difference(
    metric: Metric, reading: MetricInference, choices: Choices
) -> MetricDifference:
    """Return the difference of one pair with all its intervals; the p-value is not corrected."""
    measured = reading.measured
    difference, statistic, p_value, cautions = _summarise_difference(metric, reading, choices)
    return MetricDifference(
        difference=difference,
        difference_pooled=measured.pooled,
        difference_macro=measured.macro,
        mean=reading.mean,
        variance=reading.variance,
        standard_error=reading.standard_error,
        method=reading.main[0],
        degrees_of_freedom=reading.degrees_of_freedom,
        target=reading.target,
        interval=reading.interval,
        recommended=get_recommended_by_target(reading.intervals),
        intervals=tuple(reading.intervals),
        statistic=statistic,
        p_value=p_value,
        p_value_adjusted=None,
        alternative=orient_alternative(metric, choices.alternative),
        higher_is_better=metric.higher_is_better,
        cautions=tuple(dict.fromkeys(cautions)),
    )


def _read(
    metric: Metric,
    measured: Mapping[str, MetricValues],
    pair: AnyComparison,
    choices: Choices,
) -> MetricInference:
    difference = measured[pair.a].minus(measured[pair.b])
    return infer_metric(metric, difference, choices, is_difference=True)


def _add_brief_differences(  # noqa: PLR0913 - as add_differences
    result: EvaluationResult,
    pairs: Sequence[BriefComparison],
    key: str,
    metric: Metric,
    measured: Mapping[str, MetricValues],
    choices: Choices,
) -> EvaluationResult:
    # without the bootstrap, whose quantiles would be most of the work
    without_replicates = {
        name: replace(values, replicates=None) for name, values in measured.items()
    }
    shared = SharedCautions()
    built: list[MetricDifference] = []
    places_of_pairs: list[list[CautionPlace]] = []
    for pair in pairs:
        reading = _read(metric, without_replicates, pair, choices)
        difference, statistic, p_value, cautions = _summarise_difference(metric, reading, choices)
        interval = reading.interval
        places = shared.note(f"metrics.{key}", cautions)
        if interval is not None:
            places += shared.note(f"metrics.{key}.interval", interval.cautions)
        places_of_pairs.append(places)
        built.append(
            MetricDifference(
                detail="brief",
                difference=difference,
                standard_error=None if interval is None else interval.standard_error,
                lower=None if interval is None else interval.lower,
                upper=None if interval is None else interval.upper,
                statistic=statistic,
                p_value=p_value,
                p_value_adjusted=None,
            )
        )
    adjusted = _adjust([difference.p_value for difference in built], choices.correction)
    comparisons = tuple(
        replace(
            pair,
            cautions=(*pair.cautions, *shared.keep_particular(places, len(pairs))),
            metrics={**(pair.metrics or {}), key: replace(difference, p_value_adjusted=p_value)},
        )
        for pair, places, difference, p_value in zip(
            pairs, places_of_pairs, built, adjusted, strict=True
        )
    )
    listed = (*(result.comparison_cautions or ()), *shared.list_all())
    return replace(result, comparisons=comparisons, comparison_cautions=listed)


def _summarise_difference(
    metric: Metric, reading: MetricInference, choices: Choices
) -> tuple[float, float | None, float | None, Sequence[Caution]]:
    """Return difference, statistic, p-value and cautions."""
    measured = reading.measured
    difference = measured.macro if reading.mean is MeanKind.MACRO else measured.pooled
    alternative = orient_alternative(metric, choices.alternative)
    statistic, p_value, cautions = _test_difference(difference, reading.main[1], alternative)
    if metric.higher_is_better:
        is_two_sided = choices.alternative is Alternative.TWO_SIDED
        more = "" if is_two_sided else f"; {choices.alternative.value} is reversed accordingly"
        cautions = (*cautions, DIFFERENCE_IN_METRIC_UNITS(more=more))
    return difference, statistic, p_value, (*cautions, *list_cautions(metric, measured))


def _test_difference(
    difference: float, variance: VarianceEstimate | None, alternative: Alternative
) -> tuple[float | None, float | None, tuple[Caution, ...]]:
    """Return statistic and p-value of the test that the difference is 0.

    The statistic is None where it is infinite, and both are None where there is no variance.
    """
    if variance is None or math.isnan(difference) or math.isnan(float(variance.value)):
        return None, None, ()
    value = float(variance.value)
    if value > 0:
        statistic = difference / math.sqrt(value)
        return statistic, compute_p_value(statistic, variance.degrees_of_freedom, alternative), ()
    caution = ZERO_VARIANCE(
        reason="the difference does not vary", consequence="Its statistic is infinite or undefined."
    )
    in_favour = {
        Alternative.TWO_SIDED: difference != 0,
        Alternative.LESS: difference < 0,
        Alternative.GREATER: difference > 0,
    }[alternative]
    return None, 0.0 if in_favour else 1.0, (caution,)
