"""Cancelling evaluations; workers notice it when they check their claim."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from thetahat_service.errors import ResourceNotFound
from thetahat_service.jobs.chunk_files import KEPT, discard_chunks
from thetahat_service.states import FINISHED, EvaluationStatus
from thetahat_service.storage import audit, evaluations, units
from thetahat_service.storage.audit import Action
from thetahat_service.storage.evaluations import EvaluationRow
from thetahat_service.storage.unit_of_work import unit_of_work


def cancel(owner_id: UUID, evaluation_id: UUID) -> EvaluationRow:
    """Cancel an evaluation and return it; one that has ended is not changed.

    Its units leave the queue in the same transaction, so none of them starts any more, and what a
    worker is still computing is not recorded.
    """
    missing = ResourceNotFound(f"There is no evaluation {evaluation_id}.")
    with unit_of_work() as connection:
        if evaluations.get(connection, owner_id, evaluation_id) is None:
            raise missing
        locked = evaluations.lock(connection, evaluation_id)
        if locked is None:
            raise missing
        if locked.status not in FINISHED:
            units.cancel_open(connection, evaluation_id)
            evaluations.finish(
                connection,
                evaluation_id,
                EvaluationStatus.CANCELLED,
                {"cancel_requested_at": datetime.now(UTC)},
            )
            audit.add(connection, Action.CANCEL_EVALUATION, evaluation_id, owner_id)
        row = evaluations.get(connection, owner_id, evaluation_id)
    if row is None:
        raise missing
    if row.kind not in KEPT:
        discard_chunks(evaluation_id)
    return row
