"""The events of an evaluation, as a stream that is opened again where it breaks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final

from thetahat_client.exchange import AttemptFailed
from thetahat_client.models import FINISHED
from thetahat_client.result_types import JsonObject
from thetahat_client.runners import Items
from thetahat_client.transport import Transport, choose_pause

HEARTBEAT_S: Final = 15.0  # the service sends a comment after as long without an event


@dataclass(frozen=True, slots=True)
class Event:
    """An event of an evaluation."""

    type: str
    """``queued``, ``started``, ``progress``, ``succeeded``, ``failed`` or ``cancelled``."""
    number: int | None
    """Number of the event, from 1; None for progress that the service does not keep."""
    data: JsonObject
    """The JSON object of the event; that of ``progress`` has ``done``, ``total`` and ``unit``."""


def read_events(transport: Transport, evaluation_id: str, after: int) -> Items[Event]:
    """Yield the events after a number; open the stream again where it breaks."""
    path = f"/v1/evaluations/{evaluation_id}/events"
    failures = 0  # broken streams since the last event
    while True:
        headers = {"Accept": "text/event-stream", "Last-Event-ID": str(after)}
        answer = transport.send("GET", path, headers=headers, waiting=HEARTBEAT_S, stream=True)
        with closing(answer):
            if answer.status == HTTPStatus.NO_CONTENT:
                return  # the evaluation has ended, and its last event is known
            answer.check_type("text/event-stream")
            try:
                for event in _read_stream(answer.lines):
                    failures = 0
                    after = max(after, event.number or 0)
                    yield event
                    if event.type in FINISHED:
                        return
            except AttemptFailed as failed:
                failures += 1
                if failures > transport.retries:
                    raise transport.build_unreachable_error(failed, failures) from failed
        transport.pause(choose_pause(failures + 1))


@dataclass(slots=True)
class _Fields:
    """The fields of an event whose lines are being read."""

    name: str = ""
    number: str = ""
    data: list[str] = field(default_factory=list)


def _read_stream(lines: Iterator[str]) -> Iterator[Event]:
    """Yield the events of a stream; one that is cut off at its end is left out."""
    fields = _Fields()
    for line in lines:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            if fields.data:
                number = int(fields.number) if fields.number.isdecimal() else None
                yield Event(fields.name, number, json.loads("\n".join(fields.data)))
            fields = _Fields()
        elif name == "data":
            fields.data.append(value)
        elif name == "event":
            fields.name = value
        elif name == "id":
            fields.number = value
