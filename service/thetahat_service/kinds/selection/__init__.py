"""Kind ``selection``: its request, its plan, its chunks and its result."""
