"""Bootstrap intervals: the check of the layout, the cautions and the result."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import FEW_REPLICATES_BEYOND_AN_END, FEW_RESAMPLES, Caution
from thetahat.distributions import compute_tail_probability
from thetahat.intervals._symmetric import drop_open_end
from thetahat.intervals.base import Interval, ResampledInterval
from thetahat.numerics.bootstrap import Replicates, reason_against_units
from thetahat.numerics.bootstrap.cautions import check_resamples, resampling_cautions
from thetahat.numerics.bootstrap.interval_ends import EndDistances
from thetahat.registry import MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.number_text import format_number
from thetahat.values.types import Alternative


@dataclass(frozen=True, slots=True)
class ReplicateInterval(ResampledInterval):
    """Base class of intervals whose ends are found from the replicates of the mean."""

    n_resamples: int | None = None

    needs_errors: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_resamples(self.n_resamples)

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why there is nothing to resample, or None."""
        return explain_no_resampling(self.info, layout)

    @abstractmethod
    def find_ends(
        self, replicates: Replicates, tail: float
    ) -> tuple[EndDistances, tuple[Caution, ...]]:
        """Return the distances between the ends and the estimate, and the cautions about them."""

    def build_from_replicates(
        self, replicates: Replicates, level: float, alternative: Alternative
    ) -> Interval | None:
        """Build the interval; None where the losses do not vary."""
        if replicates.is_constant:
            return None
        reach, cautions = self.find_ends(replicates, compute_tail_probability(level, alternative))
        return build_interval(self.info, replicates, reach, level, alternative, cautions)


def explain_no_resampling(info: MethodInfo, layout: Layout) -> str | None:
    """Return why the layout cannot be resampled, or None if it can."""
    if layout.kind not in info.blocks:
        return f"{info.name} is not for {layout.kind.value} blocks, whose test parts may overlap"
    return reason_against_units(info.name, layout)


def build_interval(  # noqa: PLR0913 - one argument for each field that differs
    info: MethodInfo,
    replicates: Replicates,
    reach: EndDistances,
    level: float,
    alternative: Alternative,
    cautions: tuple[Caution, ...] = (),
) -> Interval:
    """Build the interval from the distances between its ends and the estimate."""
    units, estimate = replicates.units, replicates.estimate
    lower, upper = (None if end is None else estimate + end for end in reach)
    ends = drop_open_end(lower, upper, alternative)
    tail = compute_tail_probability(level, alternative)
    return Interval(
        method=info.name,
        variance=None,
        target=units.target,
        mean=units.mean,
        estimate=estimate,
        standard_error=replicates.variance**0.5,
        level=level,
        alternative=alternative,
        lower=ends[0],
        upper=ends[1],
        degrees_of_freedom=None,
        cautions=(*cautions, *_check_resamples(replicates, tail), *resampling_cautions(units)),
        details={
            "unit": units.unit,
            "n_units": units.n_units,
            "n_resamples": replicates.n_resamples,
        },
    )


def _check_resamples(replicates: Replicates, tail: float) -> Iterator[Caution]:
    beyond = replicates.n_resamples * min(tail, 1 - tail)
    if beyond < FEW_REPLICATES_BEYOND_AN_END:
        yield FEW_RESAMPLES(
            subject="An end of the interval",
            n=f"about {format_number(beyond)}",
            what=f"of {replicates.n_resamples} replicates",
            least=FEW_REPLICATES_BEYOND_AN_END,
        )
