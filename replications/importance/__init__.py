"""What the presets on importance-weighted cross-validation share."""
