"""The error of a service that cannot start."""

from __future__ import annotations


class CannotStart(Exception):
    """The service cannot start; the message is shown on the terminal."""
