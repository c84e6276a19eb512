"""What is to be known before a mean over resamples is used, and how many there may be."""

from __future__ import annotations

from collections.abc import Iterator

from thetahat.errors import InvalidParameter
from thetahat.numerics.bootstrap.units import Units
from thetahat.values.types import BlockKind, Caution

FEWEST, MOST = 99, 1_000_000
_FEW_UNITS = 20
_SMALL_STRATUM = 10


def check_resamples(n_resamples: int | None) -> None:
    """Refuse a number of resamples that is too small or too large; None is the default's place."""
    if n_resamples is not None and not FEWEST <= n_resamples <= MOST:
        raise InvalidParameter(
            f"n_resamples must lie in {FEWEST} to {MOST}", loc=("n_resamples",), value=n_resamples
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
