"""Bootstrap intervals: the check of the layout, the cautions and the result."""

from __future__ import annotations

from collections.abc import Iterator

from thetahat.cautions import FEW_REPLICATES_BEYOND_AN_END, FEW_RESAMPLES, Caution
from thetahat.distributions import compute_tail_probability
from thetahat.intervals._symmetric import drop_open_end
from thetahat.intervals.base import Interval
from thetahat.numerics.bootstrap import Replicates, reason_against_units
from thetahat.numerics.bootstrap.cautions import resampling_cautions
from thetahat.numerics.bootstrap.interval_ends import EndDistances
from thetahat.registry import MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.number_text import format_number
from thetahat.values.types import Alternative


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
