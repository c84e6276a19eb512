"""Recording the failure of a unit: of its learner alone, or of the whole evaluation."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

from thetahat_service.broker import queue
from thetahat_service.jobs import record
from thetahat_service.jobs.chunk_files import discard_unfinished, discard_unrecorded
from thetahat_service.json_types import StoredProblem
from thetahat_service.outcomes.failure_arrays import encode_failure
from thetahat_service.states import Stage
from thetahat_service.storage import units
from thetahat_service.storage.files import FileStore
from thetahat_service.storage.unit_of_work import reading
from thetahat_service.storage.units import UnitClaim, UnitKey


def record_failure(
    claim: UnitClaim, problem: StoredProblem, files: FileStore, *, only_later: bool = False
) -> bool:
    """Fail the part that a claim belongs to, or the whole evaluation if it belongs to none.

    Parameters
    ----------
    problem : mapping
        The reason, from ``thetahat_service.outcomes.failures``.
    only_later : bool
        Whether the part's chunks before the failed one are still computed.

    Returns
    -------
    bool
        False if the claim is lost; nothing is changed then.
    """
    if claim.part is None or claim.stage is not Stage.CHUNK:
        return fail_evaluation(claim, problem, files)
    from thetahat_service.storage import chunk_arrays  # noqa: PLC0415 - imports NumPy, which a sweeper does not need

    arrays = encode_failure(problem["code"], problem["detail"])
    name = chunk_arrays.keep_arrays(files, claim, arrays, mark=f"-{uuid4().hex[:12]}")
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
