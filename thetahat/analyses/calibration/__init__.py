"""Intervals calibrated on the data that they are for: how often they cover on samples of them."""

from thetahat.analyses.calibration.coverage import (
    CalibratedIntervals,
    FailedCalibration,
    measure_interval_coverage,
)
from thetahat.analyses.calibration.studies import CALIBRATION, CalibrationStudies

__all__ = [
    "CALIBRATION",
    "CalibratedIntervals",
    "CalibrationStudies",
    "FailedCalibration",
    "measure_interval_coverage",
]
