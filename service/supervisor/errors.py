"""Why the service does not start."""

from __future__ import annotations


class CannotStart(Exception):
    """A reason in words for the person at the terminal."""
