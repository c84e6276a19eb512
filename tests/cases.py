"""Naming the case of a loop in the message of a failure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def case(*parts: object) -> Iterator[None]:
    """Add the case that a loop is at to whatever is raised inside the block."""
    try:
        yield
    except Exception as error:
        error.add_note(f"in the case {', '.join(map(str, parts))}")
        raise
