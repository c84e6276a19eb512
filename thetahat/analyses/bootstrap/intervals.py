"""Bootstrap intervals of a statistic, from its replicates."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from thetahat.analyses.bootstrap.replicates import StatisticReplicates
from thetahat.analyses.bootstrap.resampling import MAX_STUDENTISED
from thetahat.cautions import (
    ACCELERATION_OF_A_QUANTILE,
    JACKKNIFE_UNDEFINED,
    NO_SPREAD,
    ONE_REPLICATE,
    RESAMPLES_WITHOUT_SPREAD,
    Caution,
)
from thetahat.distributions import compute_tail_probability, compute_upper_quantile
from thetahat.intervals import INTERVALS
from thetahat.intervals.base import check_replicates_beyond_end
from thetahat.numerics.bootstrap.interval_ends import (
    EndDistances,
    basic_reach,
    bca_reach,
    percentile_reach,
    studentised_reach,
)
from thetahat.statistics import Statistic
from thetahat.statistics.vector_statistics import VectorStatistic
from thetahat.traits import ReplicateForm
from thetahat.values.number_text import format_number
from thetahat.values.types import Alternative


def _get_form(name: str) -> ReplicateForm:
    form = INTERVALS[name].info.interval.from_replicates
    assert form is not None  # noqa: S101 - METHODS lists only intervals with a form
    return form


_ORDER: Final = tuple(ReplicateForm)
METHODS: Final[tuple[str, ...]] = tuple(
    sorted(
        (name for name in INTERVALS if INTERVALS[name].info.interval.from_replicates is not None),
        key=lambda name: (_ORDER.index(_get_form(name)), name),
    )
)
"""Names of the interval methods that need nothing but replicates."""


def choose_headline_interval(names: Iterable[str]) -> str | None:
    """Return the interval that a page or a figure shows where it has room for one, or None."""
    ranks = {name: INTERVALS[name].info.interval.headline_rank for name in names}
    ranked = {name: rank for name, rank in ranks.items() if rank is not None}
    return min(ranked, key=lambda name: ranked[name], default=None)


_NO_SPREAD = NO_SPREAD()
_ONE_REPLICATE = ONE_REPLICATE()
_NO_JACKKNIFE = JACKKNIFE_UNDEFINED()
_ROUGH_ACCELERATION = ACCELERATION_OF_A_QUANTILE()
_WITHOUT_SPREAD = RESAMPLES_WITHOUT_SPREAD()


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticInterval:
    """An interval of a statistic."""

    method: str
    """The interval's name."""
    level: float
    """Confidence level, in (0, 1)."""
    alternative: Alternative
    """``two_sided``; ``less`` has no lower end, ``greater`` no upper end."""
    lower: float | None
    """Lower end; None if it is open or undefined."""
    upper: float | None
    """Upper end; None if it is open or undefined."""
    cautions: tuple[Caution, ...] = ()
    """Cautions about the interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BcaInterval(StatisticInterval):
    """A bias-corrected and accelerated interval."""

    acceleration: float | None
    """The acceleration, from the jackknife; None where that is undefined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudentisedInterval(StatisticInterval):
    """A studentised interval."""

    errors: Literal["jackknife"] = "jackknife"
    """How the standard error of each resample is estimated: ``jackknife``."""
    standard_error: float | None
    """Standard error of the sample; None where the jackknife is undefined."""


def needs_errors(name: str) -> bool:
    """Return whether an interval needs a standard error of each resample."""
    return _get_form(name) is ReplicateForm.STUDENTISED


def explain_misfit(name: str, statistic: Statistic | VectorStatistic, n_draws: int) -> str | None:
    """Return why an interval cannot be used with the statistic, or None if it can."""
    if not needs_errors(name):
        return None
    if not statistic.is_smooth:
        return (
            f"{name} needs a standard error of each resample from the jackknife, which is not "
            "consistent for quantiles"
        )
    if n_draws > MAX_STUDENTISED:
        return (
            f"{name} needs a jackknife of each resample, which takes too long for "
            f"{format_number(n_draws)} draws; at most {format_number(MAX_STUDENTISED)} are allowed"
        )
    return None


def build_intervals(
    replicates: StatisticReplicates,
    statistic: Statistic | VectorStatistic,
    methods: Sequence[str],
    level: float,
    alternative: Alternative,
) -> tuple[StatisticInterval, ...]:
    """Return one interval for each method, in the order of the methods."""
    tail = compute_tail_probability(level, alternative)
    return tuple(
        _build_interval(name, replicates, statistic, level, alternative, tail) for name in methods
    )


def _build_interval(  # noqa: PLR0913 - a method, its input and its level
    name: str,
    replicates: StatisticReplicates,
    statistic: Statistic | VectorStatistic,
    level: float,
    alternative: Alternative,
    tail: float,
) -> StatisticInterval:
    form, estimate = _get_form(name), replicates.estimate
    (low, high), cautions = _compute_reach(form, replicates, statistic, tail)
    if form is not ReplicateForm.NORMAL:
        cautions = (*cautions, *check_replicates_beyond_end(replicates.n_resamples, tail))
    interval = StatisticInterval(
        method=name,
        level=level,
        alternative=alternative,
        lower=None if low is None or alternative is Alternative.LESS else estimate + low,
        upper=None if high is None or alternative is Alternative.GREATER else estimate + high,
        cautions=tuple(dict.fromkeys(cautions)),
    )
    fields = {f.name: getattr(interval, f.name) for f in dataclasses.fields(interval)}
    if form is ReplicateForm.BCA:
        return BcaInterval(**fields, acceleration=replicates.acceleration)
    if form is ReplicateForm.STUDENTISED:
        return StudentisedInterval(**fields, standard_error=replicates.sample_standard_error)
    return interval


def _compute_reach(
    form: ReplicateForm,
    replicates: StatisticReplicates,
    statistic: Statistic | VectorStatistic,
    tail: float,
) -> tuple[EndDistances, tuple[Caution, ...]]:
    """Return the distances of the ends from the estimate, and cautions about them."""
    undefined: EndDistances = (None, None)
    if replicates.standard_error is None:
        return undefined, (_ONE_REPLICATE,)
    if replicates.is_constant:
        return undefined, (_NO_SPREAD,)
    if form is ReplicateForm.NORMAL:
        distance = compute_upper_quantile(tail, None) * replicates.standard_error
        return (-distance, distance), ()
    if form is ReplicateForm.PERCENTILE:
        return percentile_reach(replicates.sorted_deviations, tail), ()
    if form is ReplicateForm.BASIC:
        return basic_reach(replicates.sorted_deviations, tail), ()
    if form is ReplicateForm.BCA:
        if replicates.acceleration is None:
            return undefined, (_NO_JACKKNIFE,)
        reach, cautions = bca_reach(
            replicates.sorted_deviations, replicates.acceleration, tail, replicates.rounding
        )
        return reach, cautions if statistic.is_smooth else (*cautions, _ROUGH_ACCELERATION)
    if replicates.sample_standard_error is None:
        return undefined, (_NO_JACKKNIFE,)
    reach = studentised_reach(replicates.ratios, replicates.sample_standard_error, tail)
    return reach, (_WITHOUT_SPREAD,) if None in reach else ()
