"""Cautions on a mean over resamples, and the check of their number."""

from __future__ import annotations

from collections.abc import Iterator

from thetahat.cautions import (
    FEW_UNITS,
    IGNORES_TRAINING_VARIANCE,
    LIBERAL_IF_BLOCKS_COVARY,
    SMALL_BLOCKS,
    Caution,
)
from thetahat.numerics.bootstrap.units import Units
from thetahat.parameter_checks import check_range
from thetahat.values.types import BlockKind


def check_resamples(n_resamples: int | None) -> None:
    """Raise ``InvalidParameter`` if there are too few or too many resamples; None is accepted."""
    check_range("n_resamples", n_resamples, 99, 1_000_000)


def resampling_cautions(units: Units) -> Iterator[Caution]:
    """Yield the cautions on the units that are drawn."""
    words = units.layout.words
    smallest = int(units.in_stratum.min())
    if units.n_strata == 1 and units.n_units < FEW_UNITS.threshold:
        yield FEW_UNITS(
            subject="The bootstrap",
            n=units.n_units,
            units=words.get_unit(units.unit).plural,
            consequence="the replicates vary too little and show little of the tails",
        )
    if units.n_strata > 1 and smallest < SMALL_BLOCKS.threshold:
        too_small = 100 * float((1 / units.in_stratum).mean())
        yield SMALL_BLOCKS(words, smallest=smallest, percent=f"{too_small:.0f}")
    if units.layout.kind is BlockKind.SOURCE and units.layout.n_train is not None:
        yield LIBERAL_IF_BLOCKS_COVARY(words, subject="the interval")
    if units.layout.kind is BlockKind.RANDOM:
        yield IGNORES_TRAINING_VARIANCE(subject="The interval")
