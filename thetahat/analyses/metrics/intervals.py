"""The intervals of a metric: on its variances, and from its bootstrap replicates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from thetahat import special_functions as special
from thetahat.analyses.losses.recommendation import BuiltInterval
from thetahat.analyses.metrics.bootstrap import DefinedReplicates
from thetahat.analyses.metrics.metric_values import MetricValues
from thetahat.cautions import UNDEFINED_RESAMPLES
from thetahat.intervals._symmetric import (
    build_symmetric_interval,
    compute_symmetric_ends,
    get_usable_variance,
)
from thetahat.intervals.base import Interval, ResampledInterval
from thetahat.intervals.bca import Bca
from thetahat.intervals.normal import Normal
from thetahat.intervals.percentile import Percentile
from thetahat.intervals.student_t import StudentT
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.traits import IntervalForm, IntervalTraits, Recommendation
from thetahat.values.types import Alternative, FloatArray, MeanKind, UnitName
from thetahat.variances.base import VarianceEstimate

RESAMPLED_METHODS: Final[Mapping[ResampledInterval, int]] = {Percentile(): 110, Bca(): 120}
"""The bootstrap intervals of a metric, with their ranks behind all intervals on variances."""

MAX_UNDEFINED_SHARE: Final = 0.05
"""Largest share of resamples without a value for which the others still give an interval."""


LOGIT: Final = MethodInfo(
    name="logit",
    title="Interval on the log odds",
    summary=(
        "A normal or t interval for the log odds of a metric between 0 and 1, transformed back, so "
        "that it never passes 0 or 1. Its standard error is that of the delta method. A metric "
        "between -1 and 1 is moved to 0 to 1 first, which gives Fisher's z interval. For areas and "
        "average precisions its quantile is that of t with the size of the smaller class minus 1 "
        "as degrees of freedom."
    ),
    formula=r"\mathrm{expit}\Bigl(\mathrm{logit}\,T \pm z \frac{s}{T (1 - T)}\Bigr)",
    interval=IntervalTraits(form=IntervalForm.LOGIT),
)


def choose_symmetric_method(variance: VarianceEstimate) -> MethodInfo:
    """Return the interval method for a variance: t where it has degrees of freedom, else normal."""
    return (Normal if variance.degrees_of_freedom is None else StudentT).info


def build_symmetric(
    name: str, variance: VarianceEstimate, level: float, alternative: Alternative
) -> Interval | None:
    """Return the normal or t interval on a variance; None where the variance is not usable."""
    value = get_usable_variance(variance)
    if value is None:
        return None
    return build_symmetric_interval(
        choose_symmetric_method(variance).name,
        name,
        variance,
        math.sqrt(value),
        variance.degrees_of_freedom,
        level,
        alternative,
    )


def build_logit(
    interval: Interval, limits: tuple[float, float], degrees_of_freedom: float | None
) -> Interval | None:
    """Return the interval on the log odds (``LOGIT``) for a metric between two finite limits.

    The odds are those of the metric's place between its limits, from 0 to 1. With limits of -1 and
    1 half of the log odds is Fisher's z.

    Degenerate cases: None where the metric is at a limit.
    """
    low, high = limits
    if interval.standard_error is None or not low < interval.estimate < high:
        return None
    place = (interval.estimate - low) / (high - low)
    ends = compute_symmetric_ends(
        float(special.logit(place)),
        interval.standard_error / (high - low) / (place * (1 - place)),
        degrees_of_freedom,
        interval.level,
        interval.alternative,
    )
    if ends is None:
        return None
    lower, upper = (
        None if end is None else low + (high - low) * float(special.expit(end)) for end in ends
    )
    return replace(
        interval,
        method=LOGIT.name,
        lower=lower,
        upper=upper,
        degrees_of_freedom=degrees_of_freedom,
    )


def build_bootstrap(
    measured: MetricValues, mean: MeanKind, level: float, alternative: Alternative
) -> Iterator[BuiltInterval]:
    """Yield the percentile and the BCa interval; none where too many resamples have no value.

    The methods are those of ``thetahat.intervals``, applied to the replicates of the metric. The
    acceleration of BCa comes from the influence function.
    """
    replicates = measured.replicates
    if replicates is None:
        return
    n, defined = len(replicates.values), replicates.defined
    n_lost = n - len(defined)
    if len(defined) == 0 or n_lost > MAX_UNDEFINED_SHARE * n:
        return
    centre = measured.macro if mean is MeanKind.MACRO else measured.pooled
    shares = _compute_unit_shares(measured, replicates.units.unit, mean)
    on_defined = DefinedReplicates(
        units=replicates.units,
        estimate=centre,
        deviations=defined - centre,
        residuals=shares,
        draw_errors=_refuse_standard_errors,
    )
    lost = (UNDEFINED_RESAMPLES(n_undefined=n_lost, n=n),) if n_lost else ()
    for method, rank in RESAMPLED_METHODS.items():
        interval = method.build_from_replicates(on_defined, level, alternative)
        if interval is not None:
            shown = replace(interval, mean=mean, cautions=(*lost, *interval.cautions))
            place = Recommendation(blocks=EVERY_BLOCK_KIND, target=shown.target, own=rank)
            yield BuiltInterval(shown, replace(method.info, recommended=(place,)), None)


def _refuse_standard_errors() -> FloatArray:
    raise NotImplementedError("the resamples of a metric have no standard errors of their own")


def _compute_unit_shares(measured: MetricValues, drawn: UnitName, mean: MeanKind) -> FloatArray:
    """Return the (U,) shares of the drawn units in the error of the estimate."""
    layout = measured.layout
    if drawn == "block":
        known = measured.defined
        values = np.bincount(layout.split_block[known], weights=measured.splits[known])
        counts = np.bincount(layout.split_block[known])
        of_source = values[counts > 0] / counts[counts > 0]
        return np.asarray(of_source - of_source.mean())
    parts = measured.macro_parts() if mean is MeanKind.MACRO else measured.pooled_parts
    assert parts is not None  # noqa: S101 - replicates are known only where the mean is
    unit = layout.cluster if drawn == "cluster" else layout.instance
    return parts if unit is None else np.asarray(np.bincount(unit, weights=parts), np.float64)
