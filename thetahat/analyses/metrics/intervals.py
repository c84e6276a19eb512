"""The intervals of a metric: on its variances, and from its bootstrap replicates."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np
from scipy import special

from thetahat.analyses.metrics.bootstrap import DefinedReplicates
from thetahat.analyses.metrics.metric_values import Measured
from thetahat.analyses.metrics.metric_variance import RECOMMENDED
from thetahat.cautions import UNDEFINED_RESAMPLES
from thetahat.intervals._ends import symmetric_ends, symmetric_interval, usable_scalar
from thetahat.intervals.base import Interval
from thetahat.intervals.bca import Bca
from thetahat.intervals.normal import Normal
from thetahat.intervals.percentile import Percentile
from thetahat.intervals.student_t import StudentT
from thetahat.values.types import Alternative, BlockKind, FloatArray, MeanKind, Target, UnitName
from thetahat.variances.base import VarianceEstimate

RESAMPLED_METHODS: Final = (Percentile(), Bca())
"""The bootstrap intervals of a metric; the others are for means."""

LARGEST_LOST: Final = 0.05
"""Share of resamples without a value above which no interval is read from the others."""


def symmetric(
    name: str, spread: VarianceEstimate, level: float, alternative: Alternative
) -> Interval | None:
    """Return the normal or t interval on a variance; None where it is not usable."""
    value = usable_scalar(spread)
    if value is None:
        return None
    degrees = spread.degrees_of_freedom
    method = Normal if degrees is None else StudentT
    return symmetric_interval(
        method.info.name, name, spread, math.sqrt(value), degrees, level, alternative
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
    ends = symmetric_ends(
        float(special.logit(value)),
        error / (value * (1 - value)),
        interval.degrees_of_freedom,
        interval.level,
        interval.alternative,
    )
    if ends is None:
        return None
    lower, upper = ends
    return replace(
        interval,
        method="logit",
        lower=None if lower is None else float(special.expit(lower)),
        upper=None if upper is None else float(special.expit(upper)),
    )


def bootstrap(
    measured: Measured, mean: MeanKind, level: float, alternative: Alternative
) -> Iterator[Interval]:
    """Yield the percentile and the BCa interval; none where too many resamples have no value.

    They are those of ``thetahat.intervals``, on the replicates of the metric; the acceleration of
    BCa is that of the influence function.
    """
    replicates = measured.replicates
    if replicates is None:
        return
    n, defined = len(replicates.values), replicates.defined
    n_lost = n - len(defined)
    if len(defined) == 0 or n_lost > LARGEST_LOST * n:
        return
    centre = measured.macro if mean is MeanKind.MACRO else measured.pooled
    shares = _unit_shares(measured, replicates.units.unit, mean)
    on_defined = DefinedReplicates(
        units=replicates.units,
        estimate=centre,
        deviations=defined - centre,
        residuals=shares,
        draw_errors=_no_errors,
    )
    lost = (UNDEFINED_RESAMPLES(n_undefined=n_lost, n=n),) if n_lost else ()
    for method in RESAMPLED_METHODS:
        interval = method.build_on(on_defined, level, alternative)
        if interval is not None:
            yield replace(interval, mean=mean, cautions=(*lost, *interval.cautions))


def _no_errors() -> FloatArray:
    message = "the resamples of a metric have no standard errors of their own"
    raise NotImplementedError(message)


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


def _unit_shares(measured: Measured, drawn: UnitName, mean: MeanKind) -> FloatArray:
    """(U,) shares in the error of the units that are drawn: instances, clusters or sources."""
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
