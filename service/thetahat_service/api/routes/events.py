"""The events of an evaluation, as they happen (server-sent events)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final

import orjson
from fastapi import APIRouter, Depends, Header, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent

from thetahat_service.api.blocking_calls import read_database
from thetahat_service.api.documents import read_document
from thetahat_service.api.errors import NoMoreEvents
from thetahat_service.api.problem_responses import describe_problems
from thetahat_service.api.request_parts import EvaluationId, OwnerId
from thetahat_service.errors import NotAuthenticated, ResourceNotFound
from thetahat_service.jobs import read
from thetahat_service.jobs.change_watcher import wait_for_change
from thetahat_service.states import EvaluationStatus
from thetahat_service.storage.evaluations import EvaluationRow

WAIT_S: Final = 10.0  # between two looks at the key of the client, which may be revoked
RETRY_MS: Final = 2000
LARGEST_ID: Final = 2**31 - 1

router = APIRouter(prefix="/v1/evaluations/{evaluation_id}", tags=["evaluations"])


@dataclass(frozen=True, slots=True)
class EventRequest:
    """An evaluation whose events are requested, the last event that the client has, and its key."""

    row: EvaluationRow
    last_event: int
    authenticate: Callable[[], object]


async def find_evaluation(
    request: Request,
    owner_id: OwnerId,
    evaluation_id: EvaluationId,
    last_event_id: Annotated[
        str, Header(description="Id of the last event that the client has received.")
    ] = "",
) -> EventRequest:
    """Return the evaluation; ``NoMoreEvents`` if it has ended and the client has every event."""
    last_event = _parse_event_id(last_event_id)
    row = await read_database(read.get, owner_id, evaluation_id)
    if row.is_finished and not await read_database(
        read.list_events, owner_id, evaluation_id, last_event
    ):
        raise NoMoreEvents
    return EventRequest(row, last_event, partial(request.scope["authenticate"], request.scope))


@router.get(
    "/events",
    response_class=EventSourceResponse,
    responses={
        204: {"description": "The evaluation has ended and Last-Event-ID was its last event."},
        **describe_problems(404),
    },
)
async def stream_events(
    requested: Annotated[EventRequest, Depends(find_evaluation)],
) -> AsyncIterator[ServerSentEvent]:
    """Stream the events after ``Last-Event-ID``, until the evaluation ends."""
    row, last_event = requested.row, requested.last_event
    yield ServerSentEvent(retry=RETRY_MS)
    # a client that joins a running evaluation gets its present state after the stored events
    shown = 0 if row.status == EvaluationStatus.RUNNING else row.version
    while True:
        for event in await read_database(read.list_events, row.owner_id, row.id, last_event):
            last_event = event.number
            data = {"at": event.at, **event.data}
            if event.type == "progress" and event.number == row.version:  # the newest event
                data |= await _read_progress(row)
            yield _encode(event.type, data, event.number)
        if row.is_finished:
            return
        if row.version > max(shown, last_event):  # progress that is too small to be kept
            yield _encode("progress", await _read_progress(row))
        shown = row.version
        await wait_for_change(row, WAIT_S)
        try:
            await read_database(requested.authenticate)
            row = await read_database(read.get, row.owner_id, row.id)
        except (ResourceNotFound, NotAuthenticated):  # deleted, or the key was revoked
            return


async def _read_progress(row: EvaluationRow) -> dict[str, Any]:
    document = await read_document(row)
    names = ("learners", "seconds_left")
    return {**document["progress"], **{name: document[name] for name in names}}


def _encode(name: str, data: dict[str, Any], number: int | None = None) -> ServerSentEvent:
    text = orjson.dumps(data, option=orjson.OPT_UTC_Z).decode()
    return ServerSentEvent(event=name, raw_data=text, id=None if number is None else str(number))


def _parse_event_id(text: str) -> int:
    """Return the number of the last event that the client has; 0 if the header has no number."""
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST_ID))
    return min(int(text), LARGEST_ID) if is_number else 0
