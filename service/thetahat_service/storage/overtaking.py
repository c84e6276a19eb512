"""What is raised where another transaction has changed what a row was computed from."""

from __future__ import annotations


class Overtaken(Exception):
    """Another transaction was first; compute again from what is stored now."""
