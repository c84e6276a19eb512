"""Deleting evaluations that have ended, with all their files."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import sqlalchemy as sa

from thetahat_service.errors import EvaluationNotFinished, ResourceNotFound
from thetahat_service.jobs.chunk_files import discard_chunks
from thetahat_service.states import FINISHED
from thetahat_service.storage import audit, evaluations, results, sign_offs
from thetahat_service.storage.audit import Action, Origin
from thetahat_service.storage.files import FileStore
from thetahat_service.storage.open_files import open_file_store
from thetahat_service.storage.unit_of_work import unit_of_work


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
        losses_file = _delete_rows(connection, evaluation_id, owner_id)
    _delete_files(evaluation_id, losses_file, open_file_store())


def delete_expired(evaluation_id: UUID, before: datetime) -> bool:
    """Delete an evaluation that ended before a moment; False if it is signed or still needed."""
    with unit_of_work() as connection:
        locked = evaluations.lock(connection, evaluation_id)
        row = evaluations.get_some(connection, [evaluation_id]).get(evaluation_id)
        if locked is None or row is None or row.finished_at is None or row.finished_at >= before:
            return False
        if evaluation_id in evaluations.list_extended(connection):
            return False
        if sign_offs.get_newest(connection, evaluation_id) is not None:
            return False
        losses_file = _delete_rows(connection, evaluation_id, row.owner_id, audit.BY_SERVICE)
    _delete_files(evaluation_id, losses_file, open_file_store())
    return True


def _delete_rows(
    connection: sa.Connection, evaluation_id: UUID, owner_id: UUID, origin: Origin | None = None
) -> str | None:
    """Delete an evaluation from the tables, and return the name of its file of losses."""
    stored = results.get(connection, evaluation_id)
    evaluations.delete(connection, evaluation_id)
    audit.add(connection, Action.DELETE_EVALUATION, evaluation_id, owner_id, origin)
    return None if stored is None else stored.losses_file


def _delete_files(evaluation_id: UUID, losses_file: str | None, files: FileStore) -> None:
    if losses_file is not None:
        files.delete(losses_file)
    discard_chunks(evaluation_id, files)
