"""What happens to an evaluation, as it happens."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any, Final
from uuid import UUID

import orjson
from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse

from service.api.calls import ask
from service.api.documents import identifier, seen
from service.errors import ResourceNotFound
from service.jobs import read
from service.jobs.watch import wait_for_change
from service.schemas.problem import ProblemDocument
from service.storage.evaluations import EvaluationRow

KEEP_ALIVE_S: Final = 15.0
RETRY_MS: Final = 2000
LARGEST_ID: Final = 2**31 - 1
HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

router = APIRouter(prefix="/v1/evaluations/{evaluation_id}", tags=["evaluations"])


@router.get(
    "/events",
    responses={
        200: {"description": "Server-sent events.", "content": {"text/event-stream": {}}},
        204: {"description": "It has ended, and Last-Event-ID was its last event."},
        404: {"model": ProblemDocument},
    },
)
async def get_events(request: Request, evaluation_id: str) -> Response:
    """Stream the events after ``Last-Event-ID``, until the evaluation ends."""
    owner_id: UUID = request.scope["owner_id"]
    wanted = identifier(evaluation_id, "evaluation")
    after = _last_id(request.headers.get("last-event-id", ""))
    row = await ask(read.get, owner_id, wanted)
    if row.is_finished and not await ask(read.events, owner_id, wanted, after):
        return Response(status_code=204)  # which tells a browser not to come back
    stream = _stream(owner_id, row, after)
    return StreamingResponse(stream, media_type="text/event-stream", headers=HEADERS)


async def _stream(owner_id: UUID, row: EvaluationRow, after: int) -> AsyncIterator[bytes]:
    yield b"retry: %d\n\n" % RETRY_MS
    shown = row.version
    while True:
        for event in await ask(read.events, owner_id, row.id, after):
            after = event.number
            data = {"at": event.at, **event.data}
            if event.type == "progress" and event.number == row.version:  # the newest there is
                data |= await _progress(row)
            yield _event(event.type, data, event.number)
        if row.is_finished:
            return
        if row.version > max(shown, after):  # progress too small for an event of its own
            yield _event("progress", await _progress(row))
        shown = row.version
        if not await wait_for_change(row.id, row.version, KEEP_ALIVE_S):
            yield b": still here\n\n"
        try:
            row = await ask(read.get, owner_id, row.id)
        except ResourceNotFound:
            return


async def _progress(row: EvaluationRow) -> dict[str, Any]:
    document = await seen(row)
    told = ("learners", "seconds_left")
    return {**document["progress"], **{name: document[name] for name in told}}


def _event(name: str, data: Mapping[str, Any], number: int | None = None) -> bytes:
    text = orjson.dumps(data, option=orjson.OPT_UTC_Z)  # one line: JSON escapes line breaks
    identity = b"" if number is None else b"id: %d\n" % number
    return identity + b"event: " + name.encode() + b"\ndata: " + text + b"\n\n"


def _last_id(text: str) -> int:
    """Return the number of the last event that the client saw; 0 where it does not say."""
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST_ID))
    return min(int(text), LARGEST_ID) if is_number else 0
