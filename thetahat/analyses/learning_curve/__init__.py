"""Learning curves: risk against training size, saturation, and a fitted power law."""

from thetahat.analyses.learning_curve.curves import SizeLosses, build_curve
from thetahat.analyses.learning_curve.growth import (
    GROW_BY,
    GrowBy,
    Growth,
    choose_growth,
    grow_splits,
)
from thetahat.analyses.learning_curve.sizes import MAX_SIZES, check_sizes, format_size

__all__ = [
    "GROW_BY",
    "MAX_SIZES",
    "GrowBy",
    "Growth",
    "SizeLosses",
    "build_curve",
    "check_sizes",
    "choose_growth",
    "format_size",
    "grow_splits",
]
