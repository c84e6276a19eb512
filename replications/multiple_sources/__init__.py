"""What the presets on cross-validation over multiple sources share."""
