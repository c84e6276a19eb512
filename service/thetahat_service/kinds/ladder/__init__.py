"""Kind ``ladder``: its request, its work and its result."""
