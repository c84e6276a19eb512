"""Bootstrap means, from resamples that all models, pairs and methods of an evaluation share."""

from thetahat.numerics.bootstrap.replicates import Replicates
from thetahat.numerics.bootstrap.shared_resamples import (
    Draw,
    SharedResamples,
    default_resamples,
    draw_difference_replicates,
    draw_seed,
    explain_many_units,
)
from thetahat.numerics.bootstrap.units import Units, build_units, default_unit, reason_against_units

__all__ = [
    "Draw",
    "Replicates",
    "SharedResamples",
    "Units",
    "build_units",
    "default_resamples",
    "default_unit",
    "draw_difference_replicates",
    "draw_seed",
    "explain_many_units",
    "reason_against_units",
]
