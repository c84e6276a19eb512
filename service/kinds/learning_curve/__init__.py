"""Kind ``learning_curve``: its request, its plan, its work and its result."""
