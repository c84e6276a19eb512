"""Cross-validation against the number of folds, repeated and stratified (the lecture)."""

from thetahat_replications.presets.lecture_folds.preset import LectureFolds

PRESET = LectureFolds
