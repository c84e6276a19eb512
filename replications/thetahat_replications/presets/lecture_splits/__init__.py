"""Split samples and complete subsampling against the share of rows to test on (the lecture)."""

from thetahat_replications.presets.lecture_splits.preset import LectureSplits

PRESET = LectureSplits
