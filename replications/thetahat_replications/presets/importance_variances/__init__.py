"""Variances of importance weights and of three risks, computed and simulated (Figures 2 to 4)."""

from thetahat_replications.presets.importance_variances.preset import ImportanceVariances

PRESET = ImportanceVariances
