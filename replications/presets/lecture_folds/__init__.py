"""Cross-validation against the number of folds, repeated and stratified (the lecture)."""

from replications.presets.lecture_folds.preset import LectureFolds

PRESET = LectureFolds
