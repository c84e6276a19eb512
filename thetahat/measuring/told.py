"""Metrics as the result has them: by model, and by pair of models."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thetahat.distributions import p_value_of
from thetahat.evaluation.choices import Choices, Chosen
from thetahat.evaluation.corrections import adjust
from thetahat.evaluation.inference import clipped, interval_told, variance_told
from thetahat.evaluation.plain import plain, told
from thetahat.intervals.base import Interval
from thetahat.layout import Layout
from thetahat.measuring.doubts import of_metric
from thetahat.measuring.intervals import FIRST, bootstrap, logit, recommended, symmetric
from thetahat.measuring.measured import Measured, mean_of, measure
from thetahat.measuring.spreads import spreads
from thetahat.metrics.base import Judged, Metric
from thetahat.types import Alternative, BlockKind, Caution, IntArray, MeanKind, Target
from thetahat.variances.base import VarianceEstimate

_TURNED = {
    Alternative.LESS: Alternative.GREATER,
    Alternative.GREATER: Alternative.LESS,
    Alternative.TWO_SIDED: Alternative.TWO_SIDED,
}
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
        """What the first interval of all speaks of."""
        source = self.measured.layout.kind is BlockKind.SOURCE
        return Target.NEW_SOURCE if source else Target.THESE_MODELS

    @property
    def main(self) -> tuple[str, VarianceEstimate] | tuple[None, None]:
        """The variance that stands first in the result: the recommended one of its target."""
        for name in FIRST[self.measured.layout.kind, self.target]:
            found = self.variances.get(name)
            if found is not None and found.mean is self.mean:
                return name, found
        return None, None

    @property
    def interval(self) -> Interval | None:
        """The recommended interval of the main target."""
        for interval in self.intervals:
            if interval.recommended and interval.target is self.target:
                return interval
        return None


def add_metrics(  # noqa: PLR0913 - the result, what is measured, on what, and how it is read
    result: dict[str, Any],
    metrics: Sequence[Chosen[Metric]],
    judged: Mapping[str, Judged],
    layout: Layout,
    choices: Choices,
    seed: int,
) -> None:
    """Put the metrics into a result tree: under ``models`` and under ``comparisons``.

    Parameters
    ----------
    result : dict
        What ``evaluate`` returned; its models and pairs are those that are measured.
    metrics : sequence of Chosen
        Checked against the task and the classes.
    judged : mapping of str to Judged
        By model, rows in the layout's order.
    """
    for entry in metrics:
        measured = {
            name: measure(entry.method, judged[name], layout, seed, entry.key)
            for name in result["models"]
        }
        for name, tree in result["models"].items():
            reading = read(entry.method, measured[name], choices, is_difference=False)
            tree.setdefault("metrics", {})[entry.key] = _metric_told(entry.method, reading, choices)
        compared = []
        for pair in result["comparisons"]:
            difference = measured[pair["a"]].minus(measured[pair["b"]])
            reading = read(entry.method, difference, choices, is_difference=True)
            told_pair = _difference_told(entry.method, reading, choices)
            pair.setdefault("metrics", {})[entry.key] = told_pair
            compared.append(told_pair)
        if len(compared) > 1:
            adjusted = adjust([pair["p_value"] for pair in compared], choices.correction)
            for pair, value in zip(compared, adjusted, strict=True):
                pair["p_value_adjusted"] = value


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
    return _TURNED[alternative] if metric.higher_is_better else alternative


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
    caution = Caution(
        "interval_beyond_range",
        f"it passes what the metric can be, {low:g} to {high:g}: the normal approximation is "
        "rough here; clip cuts it, and a logit interval stays inside",
    )
    return replace(interval, cautions=(*interval.cautions, caution))


def _metric_told(metric: Metric, reading: Reading, choices: Choices) -> dict[str, Any]:
    measured = reading.measured
    name, spread = reading.main
    layout = measured.layout
    estimate: dict[str, Any] = {
        "pooled": measured.pooled,
        "macro": measured.macro,
        "blocks": _by_block(measured),
    }
    if layout.n_repeats > 1:
        estimate["splits"] = measured.splits
    # only the area under the ROC curve has a sample-size formula of its own
    details = getattr(metric, "details", _no_details)
    return {
        "estimate": plain(estimate),
        "mean": reading.mean.value,
        **_spread_told(name, spread),
        "target": reading.target.value,
        "intervals": [interval_told(interval) for interval in reading.intervals],
        "variances": {key: variance_told(value) for key, value in reading.variances.items()},
        "higher_is_better": metric.higher_is_better,
        "cautions": told(of_metric(metric, measured)),
        **plain(details(_strata_once(measured), measured.pooled, choices.level, choices.power)),
    }


def _strata_once(measured: Measured) -> IntArray | None:
    """Strata of the rows of one repeat."""
    layout = measured.layout
    if measured.strata is None or layout.n_repeats == 1:
        return measured.strata
    return np.asarray(measured.strata[layout.split_repeat[layout.split_of_row()] == 0])


def _no_details(*_: Any) -> dict[str, Any]:
    return {}


def _spread_told(name: str | None, spread: VarianceEstimate | None) -> dict[str, Any]:
    value = None if spread is None else spread.value
    error = math.sqrt(value) if isinstance(value, float) and value >= 0 else None
    return {
        "variance": plain(value),
        "standard_error": plain(error),
        "method": name,
        "degrees_of_freedom": None if spread is None else spread.degrees_of_freedom,
    }


def _difference_told(metric: Metric, reading: Reading, choices: Choices) -> dict[str, Any]:
    measured, interval = reading.measured, reading.interval
    name, spread = reading.main
    difference = measured.macro if reading.mean is MeanKind.MACRO else measured.pooled
    statistic, p_value, cautions = _tested(difference, spread, asked(metric, choices.alternative))
    if metric.higher_is_better:
        said = "higher is better: a difference above 0 means that a is better"
        if choices.alternative is not Alternative.TWO_SIDED:
            said += f", and {choices.alternative.value} is turned accordingly"
        cautions = (*cautions, Caution("difference_in_metric_units", said))
    return {
        "difference": plain(difference),
        "difference_pooled": plain(measured.pooled),
        "difference_macro": plain(measured.macro),
        "mean": reading.mean.value,
        **_spread_told(name, spread),
        "target": reading.target.value,
        "interval": None if interval is None else interval_told(interval),
        "intervals": [interval_told(one) for one in reading.intervals],
        "statistic": plain(statistic),
        "p_value": plain(p_value),
        "p_value_adjusted": None,
        "alternative": asked(metric, choices.alternative).value,
        "higher_is_better": metric.higher_is_better,
        "cautions": told((*cautions, *of_metric(metric, measured))),
    }


def _tested(
    difference: float, spread: VarianceEstimate | None, alternative: Alternative
) -> tuple[float | None, float | None, tuple[Caution, ...]]:
    """Return statistic and p-value of no difference; infinite statistics are None."""
    if spread is None or math.isnan(difference) or math.isnan(float(spread.value)):
        return None, None, ()
    value = float(spread.value)
    if value > 0:
        statistic = difference / math.sqrt(value)
        return statistic, p_value_of(statistic, spread.degrees_of_freedom, alternative), ()
    caution = Caution(
        "zero_variance", "the difference does not vary: its statistic is infinite or undefined"
    )
    in_favour = {
        Alternative.TWO_SIDED: difference != 0,
        Alternative.LESS: difference < 0,
        Alternative.GREATER: difference > 0,
    }[alternative]
    return None, 0.0 if in_favour else 1.0, (caution,)


def _by_block(measured: Measured) -> list[float]:
    """(K,) of each block label, averaged over the repeats that have a value."""
    layout, known = measured.layout, measured.defined
    n = len(layout.block_labels)
    block = layout.split_block[known]
    counts = np.bincount(block, minlength=n)
    sums = np.bincount(block, weights=measured.splits[known], minlength=n)
    blocks: list[float] = np.divide(sums, counts, out=np.full(n, np.nan), where=counts > 0).tolist()
    return blocks
