"""Kind ``cross_validation``: its request, its plan, its chunks and its result."""
