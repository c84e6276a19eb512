"""Intervals calibrated on the data that they are for: how often they cover on samples of them."""

from thetahat.analyses.calibration.coverage import (
    FailedCalibration,
    IntervalCoverage,
    measure_interval_coverage,
)
from thetahat.analyses.calibration.studies import CALIBRATION, CalibrationStudies

__all__ = [
    "CALIBRATION",
    "CalibrationStudies",
    "FailedCalibration",
    "IntervalCoverage",
    "measure_interval_coverage",
]
