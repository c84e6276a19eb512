"""Kind ``importance_weighting``: its request, its plan, its work and its result."""
