"""Hall's transformation of a t statistic, by the skewness g of the mean."""

from __future__ import annotations

import numpy as np

from thetahat.intervals.skewness_corrected import STEEPEST
from thetahat.values.types import FloatArray


def invert(quantile: FloatArray | float, g: FloatArray) -> FloatArray:
    """Return the t for which t + g t^2 / 3 + g^2 t^3 / 27 + g / 6 is the quantile."""
    shifted = quantile - g / 6
    root = np.cbrt(1 + g * shifted)
    return np.asarray(3 * shifted / (root * root + root + 1))


def bound_skewness(g: FloatArray, quantile: FloatArray | float) -> FloatArray:
    """Return the skewness that the interval ``skewness_corrected`` uses with a quantile."""
    largest = 2 * STEEPEST / (quantile + np.sqrt(quantile**2 + 2 * STEEPEST / 3))
    return np.clip(g, -largest, largest)
