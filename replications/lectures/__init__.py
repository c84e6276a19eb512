"""What the presets on the lectures about error estimation share."""
