"""Reading evaluations; what belongs to another owner is as if it were not there."""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from service.errors import FieldError, InvalidRequest, NoResult, ResourceNotFound, ResultPending
from service.states import EvaluationStatus
from service.storage import evaluations, results
from service.storage import events as stored_events
from service.storage.evaluations import EvaluationRow, Filters
from service.storage.files import FileStore
from service.storage.unit_of_work import reading

RETRY_AFTER_S = 1


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list, newest first, and the cursor of the next part."""

    items: Sequence[EvaluationRow]
    next: str | None


@dataclass(frozen=True, slots=True)
class EventRow:
    """One thing that happened to an evaluation."""

    number: int
    at: datetime
    type: str
    data: Mapping[str, Any]


def get(owner_id: UUID, evaluation_id: UUID) -> EvaluationRow:
    """Return an owner's evaluation; ``ResourceNotFound`` when there is none of that id."""
    with reading() as connection:
        row = evaluations.get(connection, owner_id, evaluation_id)
    if row is None:
        raise ResourceNotFound(f"There is no evaluation {evaluation_id}.")
    return row


def get_some(keys: Sequence[tuple[UUID, UUID]]) -> list[EvaluationRow | ResourceNotFound]:
    """Return evaluations by owner and id, by one query; the refusal in the place of a missing one.

    What belongs to another owner is missing, as it is in ``get``.
    """
    with reading() as connection:
        rows = evaluations.get_some(connection, {identifier for _, identifier in keys})
    found: list[EvaluationRow | ResourceNotFound] = []
    for owner_id, identifier in keys:
        row = rows.get(identifier)
        if row is None or row.owner_id != owner_id:
            found.append(ResourceNotFound(f"There is no evaluation {identifier}."))
        else:
            found.append(row)
    return found


def page(owner_id: UUID, filters: Filters, cursor: str | None, limit: int) -> Page:
    """Return a part of an owner's list; the cursor is that of the part before, or None."""
    before = None if cursor is None else _read_cursor(cursor)
    with reading() as connection:
        rows = evaluations.page(connection, owner_id, filters, before, limit + 1)
    more = len(rows) > limit
    return Page(rows[:limit], _cursor(rows[limit - 1]) if more else None)


def result(owner_id: UUID, evaluation_id: UUID) -> str:
    """Return the result as JSON text; ``ResultPending`` or ``NoResult`` when there is none."""
    return _result(owner_id, evaluation_id)[0]


def losses_path(owner_id: UUID, evaluation_id: UUID) -> Path:
    """Return the Parquet file of the losses; ``ResourceNotFound`` when the kind keeps none."""
    name = _result(owner_id, evaluation_id)[1]
    if name is None:
        raise ResourceNotFound(f"Evaluation {evaluation_id} keeps no losses.")
    return FileStore.open().path(name)


def _result(owner_id: UUID, evaluation_id: UUID) -> tuple[str, str | None]:
    return _result_of(get(owner_id, evaluation_id))


def result_of(row: EvaluationRow) -> str:
    """Return the result of an evaluation that was just read, as ``result`` does."""
    return _result_of(row)[0]


def _result_of(row: EvaluationRow) -> tuple[str, str | None]:
    if not row.is_finished:
        raise ResultPending(f"Evaluation {row.id} is {row.status}.", retry_after=RETRY_AFTER_S)
    if row.status != EvaluationStatus.SUCCEEDED:
        reason = "" if row.error is None else f": {row.error.get('detail', '')}"
        raise NoResult(f"Evaluation {row.id} {_was(row.status)}{reason}")
    with reading() as connection:
        found = results.get(connection, row.id)
    if found is None:
        raise ResourceNotFound(f"There is no evaluation {row.id}.")  # deleted meanwhile
    return found.body, found.losses_file


def _was(status: str) -> str:
    return "was cancelled" if status == EvaluationStatus.CANCELLED else status


def events(owner_id: UUID, evaluation_id: UUID, after: int = 0) -> list[EventRow]:
    """Return what happened to an evaluation after the event of that number."""
    get(owner_id, evaluation_id)
    with reading() as connection:
        rows = stored_events.after(connection, evaluation_id, after)
    return [EventRow(row.number, row.at, row.type, row.data) for row in rows]


def version(owner_id: UUID, evaluation_id: UUID) -> int:
    """Return the number that goes up with every change a client can see; the ETag."""
    return get(owner_id, evaluation_id).version


def _cursor(row: EvaluationRow) -> str:
    text = f"{row.created_at.isoformat()} {row.id}"
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _read_cursor(cursor: str) -> tuple[datetime, UUID]:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        moment, identifier = urlsafe_b64decode(padded.encode()).decode().split(" ")
        return datetime.fromisoformat(moment).astimezone(UTC), UUID(identifier)
    except (ValueError, OverflowError, binascii.Error) as error:
        fault = FieldError(("query", "cursor"), "is not a cursor of this list", cursor)
        raise InvalidRequest("The cursor is not one that this list gave.", (fault,)) from error
