"""What the result of a bootstrap of a statistic says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from thetahat.cautions import (
    FEW_UNITS,
    NO_SPREAD,
    ONE_REPLICATE,
    ONE_VALUE,
    RESAMPLES_DRAWN_AGAIN,
    Caution,
)
from thetahat.numerics.bootstrap.statistic_intervals import StatisticInterval
from thetahat.numerics.bootstrap.statistic_replicates import StatisticReplicates
from thetahat.statistics import Sample, Statistic
from thetahat.values.json_values import plain, told

MOST_TOLD: Final = 10_000
"""Replicates that stand in a result one by one."""


def statistic_told(
    name: str,
    statistic: Statistic,
    sample: Sample,
    replicates: StatisticReplicates,
    intervals: Sequence[StatisticInterval],
) -> dict[str, Any]:
    """Return the numbers with their cautions as the wire has them."""
    sizes = [len(values) for _, values in sample.parts()]
    bias = replicates.bias
    return {
        "statistic": name,
        "n": sizes[0] if len(sizes) == 1 or statistic.takes == "pairs" else sizes,
        "n_resamples": replicates.n_resamples,
        **plain(
            {
                "estimate": replicates.estimate,
                "replicates_mean": replicates.replicates_mean,
                "bias": bias,
                "variance": replicates.variance,
                "standard_error": replicates.standard_error,
                "bias_corrected": replicates.estimate - bias,
            }
        ),
        "drawn_again": replicates.n_drawn_again,
        "intervals": [_interval(each, replicates) for each in intervals],
        "replicates": plain(replicates.values) if replicates.n_resamples <= MOST_TOLD else None,
        "cautions": told(_cautions(statistic, sample, replicates)),
    }


def _interval(interval: StatisticInterval, replicates: StatisticReplicates) -> dict[str, Any]:
    told_: dict[str, Any] = {
        "method": interval.method,
        "level": interval.level,
        "alternative": interval.alternative.value,
        **plain({"lower": interval.lower, "upper": interval.upper}),
    }
    if interval.method == "bca":
        told_["acceleration"] = plain(replicates.acceleration)
    if interval.method == "studentised":
        told_["errors"] = "jackknife"
        told_["standard_error"] = plain(replicates.own_error)
    return {**told_, "cautions": told(interval.cautions)}


def _cautions(
    statistic: Statistic, sample: Sample, replicates: StatisticReplicates
) -> Iterator[Caution]:
    smallest = min(len(values) for _, values in sample.parts())
    if smallest == 1:
        yield ONE_VALUE()
    elif smallest < FEW_UNITS.threshold:
        yield FEW_UNITS(
            subject="The bootstrap",
            n=smallest,
            unit="row",
            consequence="the replicates vary too little and show little of the tails",
        )
    if replicates.is_constant and smallest > 1:
        yield NO_SPREAD()
    if replicates.n_resamples == 1:
        yield ONE_REPLICATE()
    if replicates.n_drawn_again:
        yield RESAMPLES_DRAWN_AGAIN(n=replicates.n_drawn_again, reason=statistic.undefined())
    yield from statistic.cautions(sample)
