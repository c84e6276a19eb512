"""Code that the presets on importance-weighted cross-validation (kouw2019) share."""
