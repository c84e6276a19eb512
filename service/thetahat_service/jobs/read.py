"""Reading evaluations, their results and events; another owner's count as missing."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import orjson

from thetahat.values.json_values import JsonValue
from thetahat_service.errors import NoResult, ResourceNotFound, ResultPending
from thetahat_service.states import EvaluationStatus
from thetahat_service.storage import evaluations, events, results
from thetahat_service.storage.evaluations import EvaluationRow, Filters, Order
from thetahat_service.storage.events import EventRow
from thetahat_service.storage.newest_first import Position, cut_page
from thetahat_service.storage.open_files import open_file_store
from thetahat_service.storage.unit_of_work import reading

RETRY_AFTER_S = 1


def get(owner_id: UUID, evaluation_id: UUID) -> EvaluationRow:
    """Return an owner's evaluation; ``ResourceNotFound`` if there is none of that id."""
    with reading() as connection:
        row = evaluations.get(connection, owner_id, evaluation_id)
    if row is None:
        raise ResourceNotFound(f"There is no evaluation {evaluation_id}.")
    return row


def list_evaluations(
    owner_id: UUID, filters: Filters, before: Position | None, limit: int
) -> tuple[list[EvaluationRow], Position | None]:
    """Return one page of an owner's list, newest first, and the position of its end.

    ``before`` is the position of the end of the page before, or None for the first page; ``limit``
    is the length of a page.
    """
    with reading() as connection:
        rows = evaluations.list_page(connection, owner_id, filters, before, limit + 1)
    return cut_page(rows, limit, lambda row: (row.created_at, row.id))


def list_sorted(
    owner_id: UUID, filters: Filters, order: Order, offset: int, limit: int
) -> tuple[list[EvaluationRow], int | None]:
    """Return a part of an owner's list in an order, and where the next part begins."""
    with reading() as connection:
        rows = evaluations.list_sorted(
            connection, owner_id, filters, order, slice(offset, offset + limit + 1)
        )
    return rows[:limit], offset + limit if len(rows) > limit else None


def get_result(owner_id: UUID, evaluation_id: UUID) -> str:
    """Return the result as JSON text; ``ResultPending`` or ``NoResult`` if there is none."""
    return read_result(get(owner_id, evaluation_id))


def get_request(row: EvaluationRow) -> dict[str, JsonValue]:
    """Return the request of an evaluation, with the seed that it had."""
    with reading() as connection:
        stored = evaluations.get_request_of_owner(connection, row.owner_id, row.id)
    if stored is None:
        raise ResourceNotFound(f"There is no evaluation {row.id}.")  # deleted in the meantime
    request: dict[str, JsonValue] = orjson.loads(stored.request)
    if row.name is not None:
        request["name"] = row.name
    if row.labels:
        request["labels"] = dict(row.labels)
    return {**request, "seed": row.seed}


def find_losses_file(owner_id: UUID, evaluation_id: UUID) -> Path:
    """Return the Parquet file of the losses, undamaged.

    Raises ``ResourceNotFound`` if the kind keeps none, and ``DamagedFile`` if it was lost.
    """
    _, name = _read_result(get(owner_id, evaluation_id))
    if name is None:
        raise ResourceNotFound(f"Evaluation {evaluation_id} has no losses.")
    return open_file_store().fetch(name)


def read_result(row: EvaluationRow) -> str:
    """Return the result of an evaluation that was just read, as ``get_result`` does."""
    return _read_result(row)[0]


def _read_result(row: EvaluationRow) -> tuple[str, str | None]:
    """Return the text of a result and its file of losses; raise if there is no result."""
    if not row.is_finished:
        raise ResultPending(f"Evaluation {row.id} is {row.status}.", retry_after=RETRY_AFTER_S)
    if row.status != EvaluationStatus.SUCCEEDED:
        reason = "" if row.error is None else f": {row.error.get('detail', '')}"
        raise NoResult(f"Evaluation {row.id} {_describe_end(row.status)}{reason}")
    with reading() as connection:
        stored = results.get(connection, row.id)
    if stored is None:
        raise ResourceNotFound(f"There is no evaluation {row.id}.")  # deleted in the meantime
    return stored.body, stored.losses_file


def _describe_end(status: str) -> str:
    return "was cancelled" if status == EvaluationStatus.CANCELLED else status


def list_events(owner_id: UUID, evaluation_id: UUID, after: int = 0) -> list[EventRow]:
    """Return the events of an evaluation after the event of that number."""
    get(owner_id, evaluation_id)
    with reading() as connection:
        return events.list_after(connection, evaluation_id, after)
