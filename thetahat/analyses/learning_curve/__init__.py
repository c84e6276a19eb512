"""Learning curves: risk against training size, saturation, and a fitted power law."""
