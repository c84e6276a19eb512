"""Kind ``cross_validation``: its request, its plan, its work and its result."""
