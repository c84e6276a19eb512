"""The variances and intervals of one metric, and which of them are recommended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.clipping import clipped
from thetahat.analyses.metrics.intervals import bootstrap, logit, recommended, symmetric
from thetahat.analyses.metrics.metric_values import Measured, mean_of
from thetahat.analyses.metrics.metric_variance import RECOMMENDED
from thetahat.analyses.metrics.variances import spreads
from thetahat.cautions import INTERVAL_BEYOND_RANGE
from thetahat.intervals.base import Interval
from thetahat.metrics.base import Metric
from thetahat.values.types import Alternative, BlockKind, MeanKind, Target
from thetahat.variances.base import VarianceEstimate

_UNIT_RANGE = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Reading:
    """One metric of one model, or one difference, with its variances and intervals."""

    measured: Measured
    mean: MeanKind
    variances: Mapping[str, VarianceEstimate]
    intervals: list[Interval]

    @property
    def target(self) -> Target:
        """The target of the main variance."""
        source = self.measured.layout.kind is BlockKind.SOURCE
        return Target.NEW_SOURCE if source else Target.THESE_MODELS

    @property
    def main(self) -> tuple[str, VarianceEstimate] | tuple[None, None]:
        """The main variance and its name: the recommended one of the main target.

        Where no interval can rest on any, it is the first that there is.
        """
        order = RECOMMENDED[self.measured.layout.kind, self.target]
        there = [(name, self.variances[name]) for name in order if name in self.variances]
        of_mean = [one for one in there if one[1].mean is self.mean]
        usable = [one for one in of_mean if one[1].usable]
        return next(iter(usable or of_mean), (None, None))

    @property
    def variance(self) -> float | None:
        """The value of the main variance; None where there is none."""
        spread = self.main[1]
        return None if spread is None else float(spread.value)

    @property
    def standard_error(self) -> float | None:
        """Root of the main variance; None where there is none, or it is undefined."""
        spread = self.main[1]
        return None if spread is None else spread.standard_error

    @property
    def degrees_of_freedom(self) -> float | None:
        """Of the main variance; None means normal, or no variance."""
        spread = self.main[1]
        return None if spread is None else spread.degrees_of_freedom

    @property
    def interval(self) -> Interval | None:
        """The recommended interval of the main target."""
        for interval in self.intervals:
            if interval.recommended and interval.target is self.target:
                return interval
        return None


def read(metric: Metric, measured: Measured, choices: Choices, *, is_difference: bool) -> Reading:
    """Build every variance and interval of one metric, or of a difference of two models'."""
    alternative = asked(metric, choices.alternative)
    mean = mean_of(metric, measured)
    variances = spreads(measured)
    built: list[Interval] = []
    for name, spread in variances.items():
        interval = symmetric(name, spread, choices.level, alternative)
        if interval is None:
            continue
        built.append(interval)
        on_logit = None if is_difference else _on_logit(metric, interval)
        if on_logit is not None:
            built.append(on_logit)
    built += bootstrap(measured, mean, choices.level, alternative)
    low, high = metric.value_range
    span = (low - high, high - low) if is_difference else (low, high)
    built = [_within(one, span, clip=choices.clip) for one in built]
    own = [one for one in built if one.mean is mean or one.target is Target.THESE_SOURCES]
    marked = recommended(measured.layout.kind, own)
    rest = [one for one in built if one not in own]
    return Reading(measured, mean, variances, [*marked, *rest])


def asked(metric: Metric, alternative: Alternative) -> Alternative:
    """Return the alternative in the metric's own units: ``less`` asks whether a is better."""
    return alternative.mirrored() if metric.higher_is_better else alternative


def _on_logit(metric: Metric, interval: Interval) -> Interval | None:
    return logit(interval) if metric.value_range == _UNIT_RANGE else None


def _within(interval: Interval, span: tuple[float, float], *, clip: bool) -> Interval:
    """Cut the interval where that is asked; else say where it passes what the metric can be."""
    if clip:
        return clipped(interval, span)
    low, high = span
    below = interval.lower is not None and interval.lower < low
    above = interval.upper is not None and interval.upper > high
    if not (below or above):
        return interval
    caution = INTERVAL_BEYOND_RANGE(low=f"{low:g}", high=f"{high:g}")
    return replace(interval, cautions=(*interval.cautions, caution))
