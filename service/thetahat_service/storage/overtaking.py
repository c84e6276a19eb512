"""What is raised where another transaction was first, or must be."""

from __future__ import annotations


class Overtaken(Exception):
    """Another transaction was first; compute again from what is stored now."""


class TooEarly(Exception):
    """What must be recorded before has not ended; try again later."""
