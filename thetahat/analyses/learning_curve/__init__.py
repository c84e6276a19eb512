"""Learning curves: risk against training size, saturation, and a fitted power law."""

from thetahat.analyses.learning_curve.growth import GROW_BY, Growth, grown, growth_of
from thetahat.analyses.learning_curve.result import Point, curve_of
from thetahat.analyses.learning_curve.sizes import MOST_SIZES, check_sizes, label_of

__all__ = [
    "GROW_BY",
    "MOST_SIZES",
    "Growth",
    "Point",
    "check_sizes",
    "curve_of",
    "grown",
    "growth_of",
    "label_of",
]
