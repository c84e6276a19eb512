"""Selection for another population by importance-weighted cross-validation over grids."""
