"""How a result is shown: one document of typed parts, and renderers that know no statistics."""
