"""Inputs and outputs from outside: confseq, rpact and a published formula."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import numpy as np

from thetahat.sequential import SequentialMethod, SequentialQuestion

VECTORS: Final[dict[str, Any]] = json.loads(Path(__file__).with_name("vectors.json").read_text())


def look_at(
    method: SequentialMethod, values: Any, looks: Any, question: SequentialQuestion
) -> list[Any]:
    """Return the outcome after each of these numbers of values, sent as batches between them."""
    state, found, before = method.begin(), [], 0
    for n in looks:
        batch = np.asarray(values[before:n], dtype=np.float64)
        state, outcome = method.advance(state, batch, question)
        state = json.loads(json.dumps(state))  # as it is stored
        found.append(outcome)
        before = n
    return found
