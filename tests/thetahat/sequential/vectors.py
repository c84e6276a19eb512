"""Inputs and outputs from outside: confseq, rpact and a published formula."""

from __future__ import annotations

from typing import Any, Final

from tests.vectors.reading import read_family
from tests.vectors.sequential import advance
from thetahat.sequential import SequentialMethod, SequentialQuestion

VECTORS: Final = read_family("sequential")


def look_at(
    method: SequentialMethod, values: Any, looks: Any, question: SequentialQuestion
) -> list[Any]:
    """Return the outcome after each of these numbers of values, sent as batches between them."""
    return [outcome for _, outcome in advance(method, values, looks, question)]
