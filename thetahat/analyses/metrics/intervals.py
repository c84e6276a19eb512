"""The intervals of a metric: on its variances, and from its bootstrap replicates."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np
from scipy import special

from thetahat.analyses.metrics.metric_values import Measured
from thetahat.analyses.metrics.metric_variance import RECOMMENDED
from thetahat.cautions import FEW_UNITS_RESAMPLED, UNDEFINED_RESAMPLES, Caution
from thetahat.distributions import upper_quantile
from thetahat.intervals.base import Interval
from thetahat.intervals.bca import Bca
from thetahat.intervals.normal import Normal
from thetahat.intervals.percentile import Percentile
from thetahat.intervals.student_t import StudentT
from thetahat.values.types import Alternative, BlockKind, FloatArray, MeanKind, Target
from thetahat.variances.base import VarianceEstimate

LARGEST_LOST: Final = 0.05
"""Share of resamples without a value above which no interval is read from the others."""


def ends(
    centre: float, error: float, degrees: float | None, level: float, alternative: Alternative
) -> tuple[float | None, float | None]:
    """Return centre -+ quantile x error, an open end as None."""
    tail = (1 - level) / 2 if alternative is Alternative.TWO_SIDED else 1 - level
    reach = upper_quantile(tail, degrees) * error
    return opened(centre - reach, centre + reach, alternative)


def opened(
    lower: float, upper: float, alternative: Alternative
) -> tuple[float | None, float | None]:
    """Drop the end that the alternative leaves open."""
    return (
        None if alternative is Alternative.LESS else lower,
        None if alternative is Alternative.GREATER else upper,
    )


def symmetric(
    name: str, spread: VarianceEstimate, level: float, alternative: Alternative
) -> Interval | None:
    """Return the normal or t interval on a variance; None where it is not usable."""
    if not spread.usable or not isinstance(spread.value, float) or not spread.value > 0:
        return None
    error = math.sqrt(spread.value)
    degrees = spread.degrees_of_freedom
    lower, upper = ends(spread.estimate, error, degrees, level, alternative)
    return Interval(
        method=(Normal if degrees is None else StudentT).info.name,
        variance=name,
        target=spread.target,
        mean=spread.mean,
        estimate=spread.estimate,
        standard_error=error,
        level=level,
        alternative=alternative,
        lower=lower,
        upper=upper,
        degrees_of_freedom=degrees,
        cautions=spread.cautions,
    )


def logit(interval: Interval) -> Interval | None:
    r"""Return the interval built on the scale of log odds and taken back: never beyond 0 or 1.

    .. math:: \mathrm{expit}\Bigl(\mathrm{logit}\,T \pm z \frac{s}{T (1 - T)}\Bigr)

    by the delta method; for metrics between 0 and 1.

    Degenerate cases: None where the metric is 0 or 1.
    """
    value, error = interval.estimate, interval.standard_error
    if error is None or not 0 < value < 1:
        return None
    lower, upper = ends(
        float(special.logit(value)),
        error / (value * (1 - value)),
        interval.degrees_of_freedom,
        interval.level,
        interval.alternative,
    )
    return replace(
        interval,
        method="logit",
        lower=None if lower is None else float(special.expit(lower)),
        upper=None if upper is None else float(special.expit(upper)),
    )


def bootstrap(
    measured: Measured, mean: MeanKind, level: float, alternative: Alternative
) -> Iterator[Interval]:
    """Yield the percentile and the BCa interval, or those of the two that there are.

    The percentile interval is between quantiles of the replicates; BCa moves those quantiles by
    the replicates' median bias and by the skewness of the influence function (acceleration).

    Source: efron1987.
    """
    replicates = measured.replicates
    if replicates is None:
        return
    known = replicates.known
    lost = 1 - len(known) / len(replicates.values)
    if len(known) == 0 or lost > LARGEST_LOST or np.ptp(known) == 0:
        return
    centre = measured.macro if mean is MeanKind.MACRO else measured.pooled
    source = replicates.unit == "block"
    base = Interval(
        method=Percentile.info.name,
        variance=None,
        target=Target.NEW_SOURCE if source else Target.THESE_MODELS,
        mean=mean,
        estimate=centre,
        standard_error=float(known.std(ddof=1)),
        level=level,
        alternative=alternative,
        lower=None,
        upper=None,
        degrees_of_freedom=None,
        cautions=_of_bootstrap(measured, len(replicates.values), lost, replicates.unit),
    )
    tail = (1 - level) / 2 if alternative is Alternative.TWO_SIDED else 1 - level
    probabilities = np.array([tail, 1 - tail])
    yield _between(base, known, probabilities)
    adjusted = _bca(known, centre, _unit_parts(measured, mean), probabilities)
    if adjusted is not None:
        yield _between(replace(base, method=Bca.info.name), known, adjusted)


def recommended(kind: BlockKind, built: list[Interval]) -> list[Interval]:
    """Return the intervals with the first of each target's order marked.

    Of two on one variance it is the logit one: of metrics between 0 and 1 it covers more nearly
    than the normal or t one at about the same width (preset ``interval_coverage``, table
    ``metrics``). Where none of that order could be built it is the first there is, a bootstrap one.
    """
    best: dict[Target, int] = {}
    for target in dict.fromkeys(interval.target for interval in built):
        order = RECOMMENDED.get((kind, target), ())
        offered = [
            (
                order.index(one.variance) if one.variance in order else len(order),
                one.method != "logit",
                i,
            )
            for i, one in enumerate(built)
            if one.target is target
        ]
        best[target] = min(offered)[-1]
    return [
        replace(interval, recommended=best.get(interval.target) == i)
        for i, interval in enumerate(built)
    ]


def _between(base: Interval, known: FloatArray, probabilities: FloatArray) -> Interval:
    low, high = (float(v) for v in np.quantile(known, probabilities))
    lower, upper = opened(low, high, base.alternative)
    return replace(base, lower=lower, upper=upper)


def _bca(
    known: FloatArray, centre: float, parts: FloatArray, probabilities: FloatArray
) -> FloatArray | None:
    below = (float((known < centre).sum()) + 0.5 * float((known == centre).sum())) / len(known)
    squares = float(parts @ parts)
    if not 0 < below < 1 or squares == 0:
        return None
    bias = float(special.ndtri(below))
    acceleration = float(np.sum(parts**3)) / (6 * squares**1.5)
    shifted = bias + special.ndtri(probabilities)
    moved = 1 - acceleration * shifted
    if moved.min() <= 0:
        return None
    return np.asarray(special.ndtr(bias + shifted / moved))


def _unit_parts(measured: Measured, mean: MeanKind) -> FloatArray:
    """Shares in the error of what was drawn: instances, clusters or sources."""
    layout = measured.layout
    assert measured.replicates is not None  # noqa: S101 - bootstrap saw to it
    if measured.replicates.unit == "block":
        known = measured.defined
        values = np.bincount(layout.split_block[known], weights=measured.splits[known])
        counts = np.bincount(layout.split_block[known])
        of_source = values[counts > 0] / counts[counts > 0]
        return np.asarray(of_source - of_source.mean())
    parts = measured.macro_parts() if mean is MeanKind.MACRO else measured.pooled_parts
    assert parts is not None  # noqa: S101 - replicates are known only where the mean is
    unit = layout.cluster if measured.replicates.unit == "cluster" else layout.instance
    return parts if unit is None else np.asarray(np.bincount(unit, weights=parts), np.float64)


def _of_bootstrap(measured: Measured, n: int, lost: float, unit: str) -> tuple[Caution, ...]:
    cautions: list[Caution] = []
    if lost > 0:
        cautions.append(UNDEFINED_RESAMPLES(n_undefined=round(lost * n), n=n))
    n_units = {
        "block": len(measured.layout.block_labels),
        "cluster": len(measured.layout.cluster_labels),
        "instance": measured.layout.n_instances,
    }[unit]
    if n_units < FEW_UNITS_RESAMPLED.threshold:
        cautions.append(FEW_UNITS_RESAMPLED(n=n_units, unit=unit))
    return tuple(cautions)
