"""Failures of one learner of an evaluation, stored in place of the arrays of its chunks."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from thetahat_service.broker import queue
from thetahat_service.jobs import record
from thetahat_service.jobs.chunk_files import discard_unfinished, discard_unrecorded
from thetahat_service.json_types import StoredFailure, StoredProblem
from thetahat_service.states import Stage
from thetahat_service.storage import units
from thetahat_service.storage.files import FileStore
from thetahat_service.storage.unit_of_work import reading
from thetahat_service.storage.units import UnitClaim, UnitKey

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


def record_failure(
    claim: UnitClaim, problem: StoredProblem, files: FileStore, *, only_later: bool = False
) -> bool:
    """Fail the part that a claim belongs to, or the whole evaluation if it belongs to none.

    Parameters
    ----------
    problem : mapping
        The reason, from ``thetahat_service.jobs.failures``.
    only_later : bool
        Whether the part's chunks before the failed one are still computed.

    Returns
    -------
    bool
        False if the claim is lost; nothing is changed then.
    """
    if claim.part is None or claim.stage is not Stage.CHUNK:
        return fail_evaluation(claim, problem, files)
    from thetahat_service.jobs import outputs  # noqa: PLC0415 - imports Arrow, which a sweeper does not need

    arrays = encode_failure(problem["code"], problem["detail"])
    name = outputs.keep_arrays(files, claim, arrays, mark=f"-{uuid4().hex[:12]}")
    return record_part_failure(claim, name, only_later=only_later)


def fail_evaluation(claim: UnitClaim, problem: StoredProblem, files: FileStore) -> bool:
    """Fail the evaluation of a claim with all of its parts; False if the claim is lost."""
    if not record.record_failure(claim, problem):
        return False
    discard_unfinished(claim.evaluation_id, files)
    return True


def record_part_failure(claim: UnitClaim, output_file: str, *, only_later: bool) -> bool:
    """Record a part's failure, whose reason is in a file; False if the claim is lost."""
    to_gather: list[UnitKey] | None = record.record_part_failure(
        claim, output_file, only_later=only_later
    )
    if to_gather is None:
        discard_unrecorded(claim.evaluation_id, output_file)
        return False
    queue.enqueue(to_gather, Stage.START)
    return True


def retry_or_fail(  # noqa: PLR0913 - the claim, both limits, and what to fail
    claim: UnitClaim,
    describe: Callable[[int], StoredProblem],
    files: Callable[[], FileStore],
    *,
    max_attempts: int,
    delay_s: float,
    only_later: bool = False,
) -> bool:
    """Queue a unit again after a lost attempt; after the last one fail its part or evaluation.

    Parameters
    ----------
    describe : callable
        Returns the problem for a number of lost attempts.
    files : callable
        Opens the file store; only called to fail a part.

    Returns
    -------
    bool
        False if the claim is lost; nothing is changed then.
    """
    with reading() as connection:
        lost, _ = units.read_history(connection, claim)
    problem = describe(lost + 1)
    if lost + 1 >= max_attempts:
        return record_failure(claim, problem, files(), only_later=only_later)
    return record.put_back(claim, delay_s=delay_s * 2**lost, lost=True)
