"""Means and standard deviations of cross-validation by source and at random (Figures 2, 3)."""

from thetahat_replications.presets.multiple_source_means.preset import MultipleSourceMeans

PRESET = MultipleSourceMeans
