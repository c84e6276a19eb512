"""The failure of a learner as arrays, which are kept in place of those of its chunk."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from thetahat_service.json_types import StoredFailure

if TYPE_CHECKING:
    import numpy as np

FAILED: Final = "failed"
"""The name of the one array that is kept instead of a failed part's arrays."""


def encode_failure(
    code: str, message: str, loc: tuple[str | int, ...] = ()
) -> dict[str, np.ndarray]:
    """Return a failure encoded as the arrays of a chunk."""
    import numpy as np  # noqa: PLC0415 - a sweeper seldom needs it

    failure = {"code": code, "message": message, "loc": list(loc)}
    return {FAILED: np.frombuffer(json.dumps(failure).encode(), dtype=np.uint8)}


def read_failure(arrays: Mapping[str, np.ndarray], part: str) -> StoredFailure | None:
    """Return ``code``, ``message`` and ``loc`` of a learner's failure; None if it did not fail."""
    if FAILED not in arrays:
        return None
    failure: StoredFailure = json.loads(arrays[FAILED].tobytes())
    return {**failure, "loc": failure["loc"] or ["learners", part]}
