"""A part of an evaluation, a learner, that fails alone: its words stand for its arrays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from service.broker import queue
from service.jobs import record
from service.jobs.discard import discard_unfinished
from service.states import Stage
from service.storage.files import FileStore
from service.storage.units import Claim, UnitKey

if TYPE_CHECKING:
    import numpy as np

FAILED: Final = "failed"
"""The name of the one array that stands in the place of a failed part's arrays."""


def failed_arrays(
    code: str, message: str, loc: tuple[str | int, ...] = ()
) -> dict[str, np.ndarray]:
    """Return a failure as the arrays of a chunk."""
    import numpy as np  # noqa: PLC0415 - a sweeper seldom has anything to fail

    said = {"code": code, "message": message, "loc": list(loc)}
    return {FAILED: np.frombuffer(json.dumps(said).encode(), dtype=np.uint8)}


def failure_in(arrays: Mapping[str, np.ndarray], part: str) -> dict[str, Any] | None:
    """Return what a learner failed with as ``code``, ``message`` and ``loc``; None if it ran."""
    if FAILED not in arrays:
        return None
    said: dict[str, Any] = json.loads(arrays[FAILED].tobytes())
    return {**said, "loc": said["loc"] or ["learners", part]}


def fail(
    claim: Claim, problem: Mapping[str, Any], files: FileStore, *, only_later: bool = False
) -> bool:
    """Fail the part that a claim is of, or the evaluation where it is of none.

    Parameters
    ----------
    problem : mapping
        Why, as ``service.jobs.failures`` writes it.
    only_later : bool
        Whether what comes before the failed piece is still done, as ``record.part_failure`` says.

    Returns
    -------
    bool
        False where the claim was no longer the caller's, and nothing happened.
    """
    if claim.part is None or claim.stage is not Stage.CHUNK:
        if not record.failure(claim, problem):
            return False
        discard_unfinished(claim.evaluation_id, files)
        return True
    from service.jobs import outputs  # noqa: PLC0415 - brings Arrow, which a sweeper has no use for

    arrays = failed_arrays(problem["code"], problem["detail"])
    name = outputs.keep_arrays(files, claim, arrays, mark=f"-{uuid4().hex[:12]}")
    return settle(claim, name, files, only_later=only_later)


def settle(claim: Claim, output_file: str, files: FileStore, *, only_later: bool) -> bool:
    """Record a part's failure whose words lie in a file; False where that was another's to do."""
    gathering: list[UnitKey] | None = record.part_failure(claim, output_file, only_later=only_later)
    if gathering is None:
        files.delete(output_file)
        return False
    queue.enqueue(gathering, Stage.START)
    return True
