"""The data of the server-sent events of an evaluation, one model per event name."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from pydantic import BaseModel, Field

from thetahat.values.json_values import JsonValue
from thetahat_service.schemas.evaluation import LearnerProgress


class QueuedEvent(BaseModel):
    """The evaluation was submitted."""

    at: datetime = Field(description="The time of the event.")


class StartedEvent(BaseModel):
    """A worker began the evaluation."""

    at: datetime = Field(description="The time of the event.")


class ProgressEvent(BaseModel):
    """More of the evaluation is done.

    An event with ``at`` has an id, from which a client can resume. Only the newest event has the
    fields ``unit``, ``learners`` and ``seconds_left``.
    """

    at: datetime | None = Field(
        None, description="The time of the event; missing if it is not stored."
    )
    done: int = Field(description="Finished units of work.")
    total: int | None = Field(description="All units of work.")
    unit: str | None = Field(None, description="The unit of the counts.")
    learners: dict[str, LearnerProgress] | None = Field(None, description="Progress by learner.")
    seconds_left: float | None = Field(
        None, description="Estimated seconds until the end; null if unknown."
    )


class SucceededEvent(BaseModel):
    """The evaluation has a result."""

    at: datetime = Field(description="The time of the event.")


class FailedEvent(BaseModel):
    """The evaluation failed."""

    at: datetime = Field(description="The time of the event.")
    error: dict[str, JsonValue] = Field(
        description="The reason, as a problem document without status."
    )


class CancelledEvent(BaseModel):
    """The evaluation was cancelled."""

    at: datetime = Field(description="The time of the event.")


EVENTS: Final[dict[str, type[BaseModel]]] = {
    "queued": QueuedEvent,
    "started": StartedEvent,
    "progress": ProgressEvent,
    "succeeded": SucceededEvent,
    "failed": FailedEvent,
    "cancelled": CancelledEvent,
}
"""By the name in the stream's field ``event``."""
