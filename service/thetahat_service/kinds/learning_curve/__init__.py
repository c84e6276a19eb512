"""Kind ``learning_curve``: its request, its plan, its chunks and its result."""
