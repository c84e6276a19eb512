"""A metric's difference of two models as the result has it, in full or in brief."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from thetahat.analyses.losses.brief_comparisons import SharedCautions
from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.metrics.cautions import of_metric
from thetahat.analyses.metrics.inference import Reading, asked, read
from thetahat.analyses.metrics.metric_values import Measured
from thetahat.cautions import DIFFERENCE_IN_METRIC_UNITS, ZERO_VARIANCE, Caution
from thetahat.corrections.corrections import adjust
from thetahat.distributions import p_value_of
from thetahat.metrics.base import Metric
from thetahat.values.json_values import plain, to_json, told
from thetahat.values.types import Alternative, MeanKind
from thetahat.variances.base import VarianceEstimate


def add_differences(
    result: dict[str, Any],
    key: str,
    metric: Metric,
    measured: Mapping[str, Measured],
    choices: Choices,
) -> None:
    """Put one metric into every pair of a result, with the p-values corrected over the pairs.

    Where comparisons are told in brief a pair has the numbers alone, and cautions are told once.
    """
    pairs = result["comparisons"]
    if result.get("detail") == "brief":
        added = _in_brief(result, key, metric, measured, choices)
    else:
        added = [
            difference_told(metric, _read(metric, measured, pair, choices), choices)
            for pair in pairs
        ]
    for pair, one in zip(pairs, added, strict=True):
        pair.setdefault("metrics", {})[key] = one
    if len(added) > 1:
        adjusted = adjust([one["p_value"] for one in added], choices.correction)
        for one, value in zip(added, adjusted, strict=True):
            one["p_value_adjusted"] = value


def difference_told(metric: Metric, reading: Reading, choices: Choices) -> dict[str, Any]:
    """Return one pair's difference, all of it."""
    measured, interval = reading.measured, reading.interval
    name, spread = reading.main
    difference, statistic, p_value, cautions = _outcome(metric, reading, choices)
    return {
        "difference": plain(difference),
        "difference_pooled": plain(measured.pooled),
        "difference_macro": plain(measured.macro),
        "mean": reading.mean.value,
        **spread_told(name, spread),
        "target": reading.target.value,
        "interval": to_json(interval),
        "intervals": to_json(reading.intervals),
        "statistic": plain(statistic),
        "p_value": plain(p_value),
        "p_value_adjusted": None,
        "alternative": asked(metric, choices.alternative).value,
        "higher_is_better": metric.higher_is_better,
        "cautions": told(cautions),
    }


def spread_told(name: str | None, spread: VarianceEstimate | None) -> dict[str, Any]:
    """Return the variance that stands first, and how it was made."""
    value = None if spread is None else spread.value
    error = math.sqrt(value) if isinstance(value, float) and value >= 0 else None
    return {
        "variance": plain(value),
        "standard_error": plain(error),
        "method": name,
        "degrees_of_freedom": None if spread is None else spread.degrees_of_freedom,
    }


def _read(
    metric: Metric, measured: Mapping[str, Measured], pair: Mapping[str, Any], choices: Choices
) -> Reading:
    difference = measured[pair["a"]].minus(measured[pair["b"]])
    return read(metric, difference, choices, is_difference=True)


def _in_brief(
    result: dict[str, Any],
    key: str,
    metric: Metric,
    measured: Mapping[str, Measured],
    choices: Choices,
) -> list[dict[str, Any]]:
    # the bootstrap is for single models then: its quantiles would be most of the work
    without = {name: replace(one, replicates=None) for name, one in measured.items()}
    shared, added, noted = SharedCautions(), [], []
    for pair in result["comparisons"]:
        reading = _read(metric, without, pair, choices)
        difference, statistic, p_value, cautions = _outcome(metric, reading, choices)
        interval = reading.interval
        keys = shared.note(f"metrics.{key}", cautions)
        if interval is not None:
            keys += shared.note(f"metrics.{key}.interval", interval.cautions)
        noted.append(keys)
        added.append(
            {
                "difference": plain(difference),
                "standard_error": None if interval is None else plain(interval.standard_error),
                "lower": None if interval is None else plain(interval.lower),
                "upper": None if interval is None else plain(interval.upper),
                "statistic": plain(statistic),
                "p_value": plain(p_value),
                "p_value_adjusted": None,
            }
        )
    result.setdefault("comparison_cautions", []).extend(to_json(shared.listed()))
    for pair, places in zip(result["comparisons"], noted, strict=True):
        particular = shared.keep_particular(places, len(noted))
        pair.setdefault("cautions", []).extend(to_json(particular))
    return added


def _outcome(
    metric: Metric, reading: Reading, choices: Choices
) -> tuple[float, float | None, float | None, Sequence[Caution]]:
    """Return difference, statistic, p-value, and what to know of them."""
    measured = reading.measured
    difference = measured.macro if reading.mean is MeanKind.MACRO else measured.pooled
    alternative = asked(metric, choices.alternative)
    statistic, p_value, cautions = _tested(difference, reading.main[1], alternative)
    if metric.higher_is_better:
        is_two_sided = choices.alternative is Alternative.TWO_SIDED
        more = "" if is_two_sided else f"; {choices.alternative.value} is reversed accordingly"
        cautions = (*cautions, DIFFERENCE_IN_METRIC_UNITS(more=more))
    return difference, statistic, p_value, (*cautions, *of_metric(metric, measured))


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
    caution = ZERO_VARIANCE(
        reason="the difference does not vary", consequence="Its statistic is infinite or undefined."
    )
    in_favour = {
        Alternative.TWO_SIDED: difference != 0,
        Alternative.LESS: difference < 0,
        Alternative.GREATER: difference > 0,
    }[alternative]
    return None, 0.0 if in_favour else 1.0, (caution,)
