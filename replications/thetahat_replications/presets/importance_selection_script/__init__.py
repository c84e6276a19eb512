"""Penalties selected by weighted and controlled risks, as the authors' script has it (Figure 6)."""

from thetahat_replications.presets.importance_selection_script.preset import (
    ImportanceSelectionScript,
)

PRESET = ImportanceSelectionScript
