"""Percentile intervals from replicates of an estimate of error."""

from __future__ import annotations

import numpy as np

from thetahat.cautions import FEW_REPLICATES_OF_A_REFIT, FEW_RESAMPLES, Caution
from thetahat.distributions import compute_tail_probability
from thetahat.intervals.base import Interval, drop_open_end
from thetahat.registry import MethodInfo
from thetahat.values.types import Alternative, FloatArray, MeanKind, Target


def build_percentile_interval(  # noqa: PLR0913 - the fields of an interval
    info: MethodInfo,
    estimate: float,
    replicates: FloatArray,
    shift: float,
    level: float,
    alternative: Alternative,
    cautions: tuple[Caution, ...] = (),
) -> Interval | None:
    """Return the quantiles of the replicates minus the shift; None if they do not vary.

    Quantiles are interpolated between replicates (type 7). The standard error is the standard
    deviation (ddof 1) of the replicates.
    """
    # equal replicates may differ by the rounding of their sums
    if np.ptp(replicates) <= 1e-13 * np.abs(replicates).max():
        return None
    tail = compute_tail_probability(level, alternative)
    lower, upper = np.quantile(replicates, [tail, 1 - tail]) - shift
    ends = drop_open_end(float(lower), float(upper), alternative)
    return Interval(
        method=info.name,
        variance=None,
        target=Target.THESE_SOURCES,
        mean=MeanKind.POOLED,
        estimate=estimate,
        standard_error=float(replicates.std(ddof=1)),
        level=level,
        alternative=alternative,
        lower=ends[0],
        upper=ends[1],
        degrees_of_freedom=None,
        cautions=(*cautions, *_check_replicates(len(replicates))),
    )


def _check_replicates(n: int) -> tuple[Caution, ...]:
    if n >= FEW_REPLICATES_OF_A_REFIT:
        return ()
    return (
        FEW_RESAMPLES(
            subject="The interval", n=n, what="replicates", least=FEW_REPLICATES_OF_A_REFIT
        ),
    )
