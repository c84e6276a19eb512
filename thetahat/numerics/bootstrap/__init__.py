"""Means over resamples: shared by all models, pairs and methods of one evaluation."""

from thetahat.numerics.bootstrap.replicates import Replicates
from thetahat.numerics.bootstrap.shared_resamples import (
    MOST_DEFAULT_DRAWS,
    Draw,
    SharedResamples,
    default_resamples,
    of_difference,
    resample_counts,
    seed_of,
)
from thetahat.numerics.bootstrap.units import Units, default_unit, unit_misfit, units_of

__all__ = [
    "MOST_DEFAULT_DRAWS",
    "Draw",
    "Replicates",
    "SharedResamples",
    "Units",
    "default_resamples",
    "default_unit",
    "of_difference",
    "resample_counts",
    "seed_of",
    "unit_misfit",
    "units_of",
]
