"""Penalties selected by weighted and controlled risks, in two dimensions (Figure 6)."""

from thetahat_replications.presets.importance_selection.preset import ImportanceSelection

PRESET = ImportanceSelection
