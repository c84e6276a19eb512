"""Bootstrap intervals of a statistic, from its replicates."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from thetahat.analyses.bootstrap.replicates import StatisticReplicates
from thetahat.analyses.bootstrap.resampling import MOST_STUDENTISED
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
from thetahat.statistics import Statistic
from thetahat.values.types import Alternative

METHODS: Final = ("normal", "percentile", "basic", "bca", "studentised")
"""The intervals of ``thetahat.intervals`` whose formulas need nothing but replicates."""

_NO_SPREAD = NO_SPREAD()
_ONE_REPLICATE = ONE_REPLICATE()
_NO_JACKKNIFE = JACKKNIFE_UNDEFINED()
_ROUGH = ACCELERATION_OF_A_QUANTILE()
_WITHOUT_SPREAD = RESAMPLES_WITHOUT_SPREAD()


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticInterval:
    """An interval of a statistic.

    Parameters
    ----------
    method : str
        The interval's name.
    level : float
        Confidence level, in (0, 1).
    alternative : Alternative
        ``two_sided``; ``less`` has no lower end, ``greater`` no upper end.
    lower, upper : float or None
        Ends; an end that is open or undefined is None.
    cautions : tuple of Caution
        What to know before using it.
    """

    method: str
    level: float
    alternative: Alternative
    lower: float | None
    upper: float | None
    cautions: tuple[Caution, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BcaInterval(StatisticInterval):
    """A bias-corrected and accelerated interval.

    Parameters
    ----------
    acceleration : float or None
        The acceleration, from the jackknife; None where that is undefined.
    """

    acceleration: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StudentisedInterval(StatisticInterval):
    """A studentised interval.

    Parameters
    ----------
    errors : str
        How the standard error of each resample is estimated: ``jackknife``.
    standard_error : float or None
        That of the sample; None where the jackknife is undefined.
    """

    errors: Literal["jackknife"] = "jackknife"
    standard_error: float | None


def misfit(name: str, statistic: Statistic, n_draws: int) -> str | None:
    """Return why an interval does not fit the statistic, or None."""
    if name != "studentised":
        return None
    if not statistic.is_smooth:
        return (
            "studentised needs a standard error of each resample, which the jackknife estimates, "
            "and the jackknife is not consistent for quantiles"
        )
    if n_draws > MOST_STUDENTISED:
        return (
            f"studentised needs a jackknife of each resample, which takes too long for "
            f"{n_draws:.3g} draws; {MOST_STUDENTISED:.0e} is the most"
        )
    return None


def build_intervals(
    replicates: StatisticReplicates,
    statistic: Statistic,
    methods: Sequence[str],
    level: float,
    alternative: Alternative,
) -> tuple[StatisticInterval, ...]:
    """Return one interval for each method, in the order of the methods."""
    tail = tail_of(level, alternative)
    return tuple(
        _build_interval(name, replicates, statistic, level, alternative, tail) for name in methods
    )


def _build_interval(  # noqa: PLR0913 - what an interval is computed from, and which one it is
    name: str,
    replicates: StatisticReplicates,
    statistic: Statistic,
    level: float,
    alternative: Alternative,
    tail: float,
) -> StatisticInterval:
    (low, high), cautions = _reach(name, replicates, statistic, tail)
    estimate = replicates.estimate
    interval = StatisticInterval(
        method=name,
        level=level,
        alternative=alternative,
        lower=None if low is None or alternative is Alternative.LESS else estimate + low,
        upper=None if high is None or alternative is Alternative.GREATER else estimate + high,
        cautions=tuple(dict.fromkeys((*cautions, *_check_tail(name, replicates, tail)))),
    )
    fields = {f.name: getattr(interval, f.name) for f in dataclasses.fields(interval)}
    if name == "bca":
        return BcaInterval(**fields, acceleration=replicates.acceleration)
    if name == "studentised":
        return StudentisedInterval(**fields, standard_error=replicates.own_error)
    return interval


def tail_of(level: float, alternative: Alternative) -> float:
    """Return the probability left out at each end."""
    if not 0 < level < 1:
        raise InvalidParameter(
            f"level must lie between 0 and 1, and is {level}", loc=("level",), value=level
        )
    return (1 - level) / 2 if alternative is Alternative.TWO_SIDED else 1 - level


def _reach(
    name: str, replicates: StatisticReplicates, statistic: Statistic, tail: float
) -> tuple[Reach, tuple[Caution, ...]]:
    """Return how far the ends are from the estimate, and cautions about them."""
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


def _check_tail(name: str, replicates: StatisticReplicates, tail: float) -> Iterator[Caution]:
    """Yield a caution where few replicates are beyond an end of the interval."""
    beyond = replicates.n_resamples * min(tail, 1 - tail)
    if name != "normal" and beyond < FEW_REPLICATES_BEYOND_AN_END:
        yield FEW_RESAMPLES(
            subject="An end of the interval",
            n=f"about {beyond:.3g}",
            what=f"of {replicates.n_resamples} replicates",
            least=FEW_REPLICATES_BEYOND_AN_END,
        )
