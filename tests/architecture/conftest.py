"""What the tests of the source have in common."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def no_search_for_garbage() -> Iterator[None]:
    """Collect no garbage: parsing the source makes a million objects, none in a cycle.

    Looking through them again and again took three quarters of the time of parsing.
    """
    gc.disable()
    yield
    gc.enable()
