"""The bootstrap's intervals of a statistic, from its replicates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from thetahat.cautions import (
    ACCELERATION_OF_A_QUANTILE,
    FEW_REPLICATES_BEYOND_AN_END,
    FEW_RESAMPLES,
    JACKKNIFE_UNDEFINED,
    NO_SPREAD,
    ONE_REPLICATE,
    RESAMPLES_WITHOUT_SPREAD,
    Caution,
)
from thetahat.distributions import upper_quantile
from thetahat.errors import InvalidParameter
from thetahat.numerics.bootstrap.ends import (
    Reach,
    basic_reach,
    bca_reach,
    percentile_reach,
    studentised_reach,
)
from thetahat.numerics.bootstrap.statistic_bootstrap import MOST_STUDENTISED
from thetahat.numerics.bootstrap.statistic_replicates import StatisticReplicates
from thetahat.statistics import Statistic
from thetahat.values.types import Alternative

METHODS: Final = ("normal", "percentile", "basic", "bca", "studentised")
"""Names of ``thetahat.intervals``, whose formulas these are, on the replicates of any statistic."""

_NO_SPREAD = NO_SPREAD()
_ONE_REPLICATE = ONE_REPLICATE()
_NO_JACKKNIFE = JACKKNIFE_UNDEFINED()
_ROUGH = ACCELERATION_OF_A_QUANTILE()
_WITHOUT_SPREAD = RESAMPLES_WITHOUT_SPREAD()


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticInterval:
    """One interval; an end that is open or undefined is None."""

    method: str
    level: float
    alternative: Alternative
    lower: float | None
    upper: float | None
    cautions: tuple[Caution, ...] = ()


def misfit(name: str, statistic: Statistic, n_draws: int) -> str | None:
    """Say why the interval does not fit the statistic, or None."""
    if name != "studentised":
        return None
    if not statistic.is_smooth:
        return (
            "studentised needs a standard error of each resample; that is the jackknife's here, "
            "and the jackknife is not consistent for quantiles"
        )
    if n_draws > MOST_STUDENTISED:
        return (
            f"studentised needs a jackknife of each resample, and is made up to "
            f"{MOST_STUDENTISED:.0e} draws; these are {n_draws:.3g}"
        )
    return None


def intervals_of(
    replicates: StatisticReplicates,
    statistic: Statistic,
    methods: Sequence[str],
    level: float,
    alternative: Alternative,
) -> list[StatisticInterval]:
    """Build intervals, in the order of the methods."""
    tail = tail_of(level, alternative)
    found = []
    for name in methods:
        (low, high), cautions = _reach(name, replicates, statistic, tail)
        estimate = replicates.estimate
        lower = None if low is None or alternative is Alternative.LESS else estimate + low
        upper = None if high is None or alternative is Alternative.GREATER else estimate + high
        found.append(
            StatisticInterval(
                method=name,
                level=level,
                alternative=alternative,
                lower=lower,
                upper=upper,
                cautions=(*cautions, *_few(name, replicates, tail)),
            )
        )
    return found


def tail_of(level: float, alternative: Alternative) -> float:
    """Return the probability left out at each end."""
    if not 0 < level < 1:
        raise InvalidParameter(
            f"level must lie in (0, 1), got {level}", loc=("level",), value=level
        )
    return (1 - level) / 2 if alternative is Alternative.TWO_SIDED else 1 - level


def _reach(
    name: str, replicates: StatisticReplicates, statistic: Statistic, tail: float
) -> tuple[Reach, tuple[Caution, ...]]:
    """Return how far the ends lie from the estimate, and what to know of them."""
    nothing: Reach = (None, None)
    if replicates.standard_error is None:
        return nothing, (_ONE_REPLICATE,)
    if replicates.is_constant:
        return nothing, (_NO_SPREAD,)
    if name == "normal":
        reach = upper_quantile(tail, None) * replicates.standard_error
        return (-reach, reach), ()
    if name == "percentile":
        return percentile_reach(replicates.in_order, tail), ()
    if name == "basic":
        return basic_reach(replicates.in_order, tail), ()
    if name == "bca":
        if replicates.acceleration is None:
            return nothing, (_NO_JACKKNIFE,)
        found, cautions = bca_reach(replicates.in_order, replicates.acceleration, tail)
        return found, cautions if statistic.is_smooth else (*cautions, _ROUGH)
    if replicates.own_error is None:
        return nothing, (_NO_JACKKNIFE,)
    found = studentised_reach(replicates.ratios, replicates.own_error, tail)
    return found, (_WITHOUT_SPREAD,) if None in found else ()


def _few(name: str, replicates: StatisticReplicates, tail: float) -> Iterator[Caution]:
    beyond = replicates.n_resamples * min(tail, 1 - tail)
    if name != "normal" and beyond < FEW_REPLICATES_BEYOND_AN_END:
        yield FEW_RESAMPLES(
            subject="An end of the interval",
            n=f"about {beyond:.3g}",
            what=f"of {replicates.n_resamples} replicates",
            least=FEW_REPLICATES_BEYOND_AN_END,
        )
