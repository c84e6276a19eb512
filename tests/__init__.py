"""A package, so that ``from tests...`` never finds a ``tests`` folder of some installed wheel."""
