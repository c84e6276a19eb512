"""Kind ``weights``: its request, its plan, its work and its result."""
