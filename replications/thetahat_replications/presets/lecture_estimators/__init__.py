"""Estimators of the risk of four classifiers on small samples (the lecture's table)."""

from thetahat_replications.presets.lecture_estimators.preset import LectureEstimators

PRESET = LectureEstimators
