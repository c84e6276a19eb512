"""Results of published papers, computed again: presets of the kind ``study``."""
