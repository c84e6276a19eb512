"""The variances and intervals of one metric, and which of them are recommended."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.clipping import keep_in_range, subtract_ranges
from thetahat.analyses.losses.recommendation import BuiltInterval, get_rank, recommend
from thetahat.analyses.metrics.area_score import build_area_score
from thetahat.analyses.metrics.at_limit import build_at_limit
from thetahat.analyses.metrics.expected_coverage import add_metric_coverage
from thetahat.analyses.metrics.intervals import (
    LOGIT,
    build_bootstrap,
    build_logit,
    build_symmetric,
    choose_symmetric_method,
)
from thetahat.analyses.metrics.limits_of_shares import build_limits_of_shares
from thetahat.analyses.metrics.log_jackknife import (
    LOG_JACKKNIFE,
    build_log_jackknife,
    explain_few_units,
)
from thetahat.analyses.metrics.mean_of_rates import build_mean_of_rates
from thetahat.analyses.metrics.metric_values import MetricValues, choose_mean
from thetahat.analyses.metrics.metric_variance import (
    METRIC_VARIANCES,
    WITHIN_CLASSES,
    MetricVariance,
)
from thetahat.analyses.metrics.variances import RESAMPLED, estimate_variances
from thetahat.analyses.thresholds import FEWEST_NORMAL
from thetahat.intervals.base import Interval
from thetahat.metrics.base import Metric
from thetahat.values.types import Alternative, BlockKind, MeanKind, Target
from thetahat.variances.base import VarianceEstimate

NOTHING_VARIES: Final = "on these data nothing varies that an interval could rest on"


@dataclass(frozen=True, slots=True)
class MetricInference:
    """One metric of one model, or its difference of two models, with variances and intervals."""

    measured: MetricValues
    """The metric over all rows and over each split."""
    mean: MeanKind
    """The mean that variances and intervals of the models as trained are about."""
    variances: Mapping[str, VarianceEstimate]
    """By name."""
    intervals: Sequence[Interval]
    """With one recommended for each target."""

    @property
    def target(self) -> Target:
        """The target of the main variance."""
        source = self.measured.layout.kind is BlockKind.SOURCE
        return Target.NEW_SOURCE if source else Target.THESE_MODELS

    def list_targets_without_interval(self) -> tuple[Target, ...]:
        """Return the targets of the layout for which no interval could be built."""
        measured, kind = self.measured, self.measured.layout.kind
        if math.isnan(measured.macro if self.mean is MeanKind.MACRO else measured.pooled):
            return ()
        of_layout = (self.target, *((Target.THESE_SOURCES,) if kind in RESAMPLED else ()))
        built = {interval.target for interval in self.intervals if interval.recommended}
        return tuple(target for target in of_layout if target not in built)

    def explain_missing_intervals(self) -> dict[Target, str]:
        """Return why there is no interval for these targets, as part of a sentence."""
        few = explain_few_units(self.measured)
        return {
            target: few if few is not None and target is Target.THESE_MODELS else NOTHING_VARIES
            for target in self.list_targets_without_interval()
        }

    @property
    def main(self) -> tuple[str, VarianceEstimate] | tuple[None, None]:
        """The main variance and its name: the best ranked one of the main target.

        If no interval can be built on any of them, it is the best ranked of all.
        """
        layout = self.measured.layout
        ranks = {
            name: get_rank(
                choose_symmetric_method(variance),
                METRIC_VARIANCES[name],
                layout.kind,
                self.target,
                fixed_models=layout.has_fixed_models,
            )
            for name, variance in self.variances.items()
            if variance.mean is self.mean
        }
        ranked = sorted((rank, name) for name, rank in ranks.items() if rank is not None)
        in_order = [(name, self.variances[name]) for _, name in ranked]
        usable = [entry for entry in in_order if entry[1].usable]
        return next(iter(usable or in_order), (None, None))

    @property
    def variance(self) -> float | None:
        """The value of the main variance; None where there is none."""
        variance = self.main[1]
        return None if variance is None else float(variance.value)

    @property
    def standard_error(self) -> float | None:
        """Root of the main variance; None where there is none, or it is undefined."""
        variance = self.main[1]
        return None if variance is None else variance.standard_error

    @property
    def degrees_of_freedom(self) -> float | None:
        """Degrees of freedom of the main variance; None means normal, or no variance."""
        variance = self.main[1]
        return None if variance is None else variance.degrees_of_freedom

    @property
    def interval(self) -> Interval | None:
        """The recommended interval of the main target."""
        for interval in self.intervals:
            if interval.recommended and interval.target is self.target:
                return interval
        return None


def infer_metric(
    metric: Metric,
    measured: MetricValues,
    choices: Choices,
    *,
    is_difference: bool,
    more: Sequence[BuiltInterval] = (),
) -> MetricInference:
    """Build every variance and interval of one metric, or of its difference of two models.

    ``more`` are intervals of a difference that rest on those of the two models.
    """
    alternative = orient_alternative(metric, choices.alternative)
    mean, layout = choose_mean(metric, measured), measured.layout
    variances: Mapping[str, VarianceEstimate] = estimate_variances(measured)
    if is_difference:
        variances = _count_degrees(measured, variances)
    low, high = metric.value_range
    built = [*more]
    if is_difference:
        for name, variance in variances.items():
            built += build_on_variance(name, variance, choices.level, alternative)
        built += build_bootstrap(measured, mean, choices.level, alternative)
    else:
        built += build_of_model(metric, measured, variances, choices.level, alternative)
    limits = subtract_ranges((low, high), (low, high)) if is_difference else (low, high)
    of_mean = [entry for entry in built if _can_be_recommended(entry, measured, mean)]
    others = [entry for entry in built if not _can_be_recommended(entry, measured, mean)]
    marked = recommend(layout.kind, of_mean, fixed_models=layout.has_fixed_models)
    clip = choices.clip is not False
    intervals = add_metric_coverage(
        metric,
        measured,
        [
            keep_in_range(entry.interval, limits, clip=clip, quantity="metric")
            for entry in (*marked, *others)
        ],
        "difference" if is_difference else "model",
    )
    return MetricInference(measured, mean, variances, intervals)


def _count_degrees(
    measured: MetricValues, variances: Mapping[str, VarianceEstimate]
) -> Mapping[str, VarianceEstimate]:
    """Return the variances of a difference, those from few instances of a class with degrees.

    They are those of the smaller class, of metrics that rank its instances, and of an agreement on
    a test set with fewer than ``FEWEST_NORMAL`` of it.
    """
    counted = dict(variances)
    of_few = _count_degrees_of_agreement(measured)
    for name in (*WITHIN_CLASSES, MetricVariance.INFLUENCE, MetricVariance.INFLUENCE_BLOCKS):
        variance = counted.get(name)
        degrees = None if variance is None else measured.count_degrees(variance.mean) or of_few
        is_normal = name in WITHIN_CLASSES and (degrees or 0) >= FEWEST_NORMAL - 1
        if variance is not None and degrees is not None and not is_normal:
            counted[name] = replace(variance, degrees_of_freedom=degrees)
    return counted


def _count_degrees_of_agreement(measured: MetricValues) -> float | None:
    """Return those of the rarer class; None of other metrics, clusters, folds and many of it.

    With normal quantiles differences of kappa, or Matthews' coefficient, with 5 to 10 positives of
    50 to 1000 are covered in .82 to .94 of 400 samples, with these in .93 to .98.
    """
    layout, classes = measured.layout, measured.agreeing_classes
    if classes is None or layout.kind is not BlockKind.HOLDOUT or layout.cluster is not None:
        return None
    counts = np.bincount(classes)
    rarer = int(counts[counts > 0].min())
    return float(max(1, rarer - 1)) if rarer < FEWEST_NORMAL else None


def build_of_model(
    metric: Metric,
    measured: MetricValues,
    variances: Mapping[str, VarianceEstimate],
    level: float,
    alternative: Alternative,
) -> Iterator[BuiltInterval]:
    """Yield every interval of a metric of one model."""
    mean, limits = choose_mean(metric, measured), metric.value_range
    has_logit = math.isfinite(limits[1] - limits[0])
    for name, variance in variances.items():
        for entry in build_on_variance(name, variance, level, alternative):
            yield entry
            degrees = variance.degrees_of_freedom
            if degrees is None and name != MetricVariance.LEDELL:
                degrees = measured.count_degrees(variance.mean)
            on_log_odds = build_logit(entry.interval, limits, degrees) if has_logit else None
            if on_log_odds is not None:
                yield entry._replace(interval=on_log_odds, method=LOGIT)
    yield from build_area_score(measured, mean, variances, level, alternative)
    yield from build_at_limit(measured, mean, limits, level, alternative)
    yield from build_bootstrap(measured, mean, level, alternative)
    over_clusters = variances.get(MetricVariance.CLUSTER_ROBUST)
    yield from build_mean_of_rates(measured, over_clusters, level, alternative)
    yield from build_log_jackknife(measured, limits[1], level, alternative)
    yield from build_limits_of_shares(measured, variances, limits, level, alternative)


def build_on_variance(
    name: str, variance: VarianceEstimate, level: float, alternative: Alternative
) -> Iterator[BuiltInterval]:
    """Yield the normal or t interval on a variance; none where the variance is not usable."""
    interval = build_symmetric(name, variance, level, alternative)
    if interval is not None:
        yield BuiltInterval(interval, choose_symmetric_method(variance), METRIC_VARIANCES[name])


def _can_be_recommended(entry: BuiltInterval, measured: MetricValues, mean: MeanKind) -> bool:
    """Return whether an interval is about the mean to read; for the learner every one is.

    The pooled value of a metric that is left out unit by unit has the log jackknife or no interval.
    """
    interval = entry.interval
    is_pooled = mean is MeanKind.POOLED and interval.target is Target.THESE_MODELS
    if is_pooled and measured.left_out is not None and entry.method is not LOG_JACKKNIFE:
        return False
    return interval.mean is mean or interval.target is Target.THESE_SOURCES


def orient_alternative(metric: Metric, alternative: Alternative) -> Alternative:
    """Return the alternative for the metric's own units: ``less`` asks whether a is better."""
    return alternative.mirror() if metric.higher_is_better else alternative
