"""The result of a bootstrap of a statistic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from thetahat.analyses.bootstrap.intervals import (
    BcaInterval,
    StatisticInterval,
    StudentisedInterval,
)
from thetahat.analyses.bootstrap.replicates import StatisticReplicates
from thetahat.cautions import (
    FEW_UNITS,
    NO_SPREAD,
    ONE_REPLICATE,
    ONE_VALUE,
    RESAMPLES_DRAWN_AGAIN,
    Caution,
)
from thetahat.statistics import Sample, Statistic
from thetahat.values.types import FloatArray

MAX_LISTED: Final = 10_000
"""Replicates up to which the result lists them one by one."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StatisticEstimate:
    """A statistic of a sample, and what its resamples show of its distribution."""

    statistic: str
    """Name of the statistic."""
    n: int | tuple[int, ...]
    """Number of values of the sample; of two samples the number of each."""
    n_resamples: int
    """Number of resamples."""
    estimate: float
    """The statistic of the sample."""
    replicates_mean: float
    """Mean of the statistic over the resamples."""
    bias: float
    """That mean minus the estimate."""
    variance: float | None
    """Variance of the statistic over the resamples (ddof 1); None of a single resample."""
    standard_error: float | None
    """Root of the variance."""
    bias_corrected: float
    """The estimate minus the bias."""
    drawn_again: int
    """Number of draws that had no value and were drawn again."""
    intervals: tuple[BcaInterval | StudentisedInterval | StatisticInterval, ...]
    """Intervals about the statistic."""
    replicates: FloatArray | None
    """(B,) the statistic of each resample, where there are at most 10000."""
    cautions: tuple[Caution, ...]
    """What to know before using the numbers."""


def describe_statistic(
    statistic: Statistic,
    sample: Sample,
    replicates: StatisticReplicates,
    intervals: tuple[StatisticInterval, ...],
) -> StatisticEstimate:
    """Return the estimate of a statistic with its replicates, intervals and cautions."""
    sizes = tuple(len(values) for _, values in sample.parts())
    bias = replicates.bias
    return StatisticEstimate(
        statistic=statistic.info.name,
        n=sizes[0] if len(sizes) == 1 or statistic.takes == "pairs" else sizes,
        n_resamples=replicates.n_resamples,
        estimate=replicates.estimate,
        replicates_mean=replicates.replicates_mean,
        bias=bias,
        variance=replicates.variance,
        standard_error=replicates.standard_error,
        bias_corrected=replicates.estimate - bias,
        drawn_again=replicates.n_drawn_again,
        intervals=intervals,
        replicates=replicates.values if replicates.n_resamples <= MAX_LISTED else None,
        cautions=tuple(dict.fromkeys(_find_cautions(statistic, sample, replicates))),
    )


def _find_cautions(
    statistic: Statistic, sample: Sample, replicates: StatisticReplicates
) -> Iterator[Caution]:
    smallest = min(len(values) for _, values in sample.parts())
    if smallest == 1:
        yield ONE_VALUE()
    elif smallest < FEW_UNITS.threshold:
        yield FEW_UNITS(
            subject="The bootstrap",
            n=smallest,
            units="rows",
            consequence="the replicates vary too little and show little of the tails",
        )
    if replicates.is_constant and smallest > 1:
        yield NO_SPREAD()
    if replicates.n_resamples == 1:
        yield ONE_REPLICATE()
    if replicates.n_drawn_again:
        yield RESAMPLES_DRAWN_AGAIN(n=replicates.n_drawn_again, reason=statistic.undefined())
    yield from statistic.cautions(sample)
