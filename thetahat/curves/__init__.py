"""Learning curves: risk against training size, saturation, and a fitted power law."""

from thetahat.curves.growth import GROW_BY, Growth, grown, growth_of
from thetahat.curves.learning_curve import Point, curve_of
from thetahat.curves.sizes import MOST_SIZES, check_sizes, label_of

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
