"""Code that the presets on cross-validation with multiple sources (geras2013) share."""
