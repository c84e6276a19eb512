"""How each kind of evaluation is shown: one file a kind, found by its name."""
