"""The points of a calibration curve and its band."""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.analyses.probabilities.calibrated_samples import CalibratedSamples
from thetahat.analyses.probabilities.events import BinaryEvent
from thetahat.analyses.probabilities.result import CalibrationCurve
from thetahat.numerics.isotonic import Steps
from thetahat.values.types import IntArray

MOST_POINTS: Final = 200
POINTS_BETWEEN: Final = 40
"""Probabilities, evenly by rows, at which the band is known beside the ends of steps."""


def choose_points(event: BinaryEvent, fitted: Steps) -> IntArray:
    """Return the levels at which steps begin and end, and some between them."""
    m = len(event.levels.values)
    later = fitted.starts[1:]
    ends = np.concatenate([[0], later - 1, later, [m - 1]])
    if len(ends) > MOST_POINTS - POINTS_BETWEEN:
        places = np.linspace(0, len(ends) - 1, MOST_POINTS - POINTS_BETWEEN).astype(np.intp)
        ends = np.sort(ends)[places]
    cumulated = np.cumsum(event.levels.sizes)
    between = np.searchsorted(cumulated, np.linspace(0, event.n, POINTS_BETWEEN), side="left")
    return np.unique(np.concatenate([ends, np.minimum(between, m - 1)])).astype(np.intp)


def build_curve(  # noqa: PLR0913 - what the curve is built of
    event: BinaryEvent,
    fitted: Steps,
    points: IntArray,
    samples: CalibratedSamples | None,
    level: float,
    reason: str | None,
) -> CalibrationCurve:
    """Return the curve at its points, with the pointwise quantiles of calibrated samples."""
    lower = upper = None
    if samples is not None:
        lower, upper = np.quantile(samples.curves, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return CalibrationCurve(
        predicted=event.levels.values[points],
        recalibrated=fitted.at(points),
        n=event.levels.sizes[points].astype(np.intp),
        lower=lower,
        upper=upper,
        reason=reason,
    )
