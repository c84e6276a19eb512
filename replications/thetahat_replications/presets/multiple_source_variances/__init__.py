"""The variance of cross-validation by source and at random, and its estimators (Figures 4 to 6)."""

from thetahat_replications.presets.multiple_source_variances.preset import MultipleSourceVariances

PRESET = MultipleSourceVariances
