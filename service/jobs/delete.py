"""Deleting evaluations that have ended, with all their files."""

from __future__ import annotations

from uuid import UUID

from service.errors import EvaluationNotFinished, ResourceNotFound
from service.jobs.discard import discard_chunks
from service.states import FINISHED
from service.storage import audit, evaluations, results
from service.storage.audit import Action
from service.storage.files import FileStore
from service.storage.unit_of_work import unit_of_work


def delete(owner_id: UUID, evaluation_id: UUID) -> None:
    """Delete an evaluation, its result and its files; ``EvaluationNotFinished`` if it runs."""
    with unit_of_work() as connection:
        row = evaluations.get(connection, owner_id, evaluation_id)
        locked = evaluations.lock(connection, evaluation_id)
        if row is None or locked is None:
            raise ResourceNotFound(f"There is no evaluation {evaluation_id}.")
        if locked.status not in FINISHED:
            raise EvaluationNotFinished(
                f"Evaluation {evaluation_id} is {locked.status}. Cancel it before you delete it."
            )
        stored = results.get(connection, evaluation_id)
        evaluations.delete(connection, evaluation_id)
        audit.add(connection, Action.DELETE_EVALUATION, evaluation_id, owner_id)
    files = FileStore.open()
    if stored is not None and stored.losses_file is not None:
        files.delete(stored.losses_file)
    discard_chunks(evaluation_id, files)
