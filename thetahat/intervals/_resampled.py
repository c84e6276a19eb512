"""What the bootstrap intervals have in common: where they fit, what they warn of, their fields."""

from __future__ import annotations

from collections.abc import Iterator

from thetahat.bootstrap import Replicates, Units, unit_misfit
from thetahat.bootstrap.ends import Reach
from thetahat.errors import InvalidParameter
from thetahat.intervals._ends import open_end, tail_of
from thetahat.intervals.base import Interval
from thetahat.layout import Layout
from thetahat.registry import MethodInfo
from thetahat.types import Alternative, BlockKind, Caution

FEWEST, MOST = 99, 1_000_000
_IN_A_TAIL = 10  # replicates beyond an end, below which the end is mostly chance
_FEW_UNITS = 20
_SMALL_STRATUM = 10


def check_resamples(n_resamples: int | None) -> None:
    """Refuse a number of resamples that is too small or too large; None is the default's place."""
    if n_resamples is not None and not FEWEST <= n_resamples <= MOST:
        raise InvalidParameter(
            f"n_resamples must lie in {FEWEST} to {MOST}", loc=("n_resamples",), value=n_resamples
        )


def resampling_misfit(info: MethodInfo, layout: Layout) -> str | None:
    """Say why the layout has nothing to draw, or None."""
    if layout.kind not in info.blocks:
        return f"{info.name} is not for {layout.kind.value} blocks, whose test parts may overlap"
    return unit_misfit(info.name, layout)


def told_interval(  # noqa: PLR0913 - one argument per thing that methods differ in
    info: MethodInfo,
    replicates: Replicates,
    reach: Reach,
    level: float,
    alternative: Alternative,
    cautions: tuple[Caution, ...] = (),
) -> Interval:
    """Wrap how far the ends lie from the estimate; what is undefined is None, with its caution."""
    units, estimate = replicates.units, replicates.estimate
    lower, upper = (None if end is None else estimate + end for end in reach)
    ends = open_end(lower, upper, alternative)
    tail = tail_of(level, alternative)
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
        cautions=(*cautions, *_few_resamples(replicates, tail), *resampling_cautions(units)),
        details={
            "unit": units.unit,
            "n_units": units.n_units,
            "n_resamples": replicates.n_resamples,
        },
    )


def _few_resamples(replicates: Replicates, tail: float) -> Iterator[Caution]:
    beyond = replicates.n_resamples * min(tail, 1 - tail)
    if beyond < _IN_A_TAIL:
        yield Caution(
            "few_resamples",
            f"about {beyond:.3g} of {replicates.n_resamples} replicates lie beyond an end at this "
            f"level; with fewer than {_IN_A_TAIL} the end is mostly chance: ask for more resamples",
        )


def resampling_cautions(units: Units) -> Iterator[Caution]:
    """Yield what is to be known of the units that are drawn."""
    smallest = int(units.in_stratum.min())
    if units.n_strata == 1 and units.n_units < _FEW_UNITS:
        yield Caution(
            "few_units",
            f"it draws from {units.n_units} {units.unit}s; with fewer than {_FEW_UNITS} the "
            "replicates spread too little and say little of the tails",
        )
    if units.n_strata > 1 and smallest < _SMALL_STRATUM:
        too_small = 100 * float((1 / units.in_stratum).mean())
        yield Caution(
            "small_blocks",
            f"it draws within blocks, the smallest of {smallest}: replicates vary less than the "
            f"mean does, by about {too_small:.0f} per cent of the variance",
        )
    if units.layout.kind is BlockKind.SOURCE and units.layout.n_train is not None:
        yield Caution(
            "liberal_if_blocks_covary",
            "it takes sources as independent, and their models share training sources: where that "
            "makes their losses move together it is too short",
        )
    if units.layout.kind is BlockKind.RANDOM:
        yield Caution(
            "ignores_training_variance",
            f"it draws {units.unit}s and takes the fitted models as given: what another training "
            "sample would change is not in it",
        )
