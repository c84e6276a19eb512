"""Penalties selected by weighted and controlled risks, on ozone data (Figure 7)."""

from thetahat_replications.presets.importance_ozone.preset import ImportanceOzone

PRESET = ImportanceOzone
