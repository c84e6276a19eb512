"""The states of an evaluation and of its units of work, and the decisions on a result."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class EvaluationStatus(StrEnum):
    """The status of an evaluation, as clients see it."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


class SignOffDecision(StrEnum):
    """The decision of a sign-off: what somebody decided after reading a result."""

    APPROVED = "approved"
    REJECTED = "rejected"
    NEEDS_CHANGES = "needs_changes"


class OverallVerdict(StrEnum):
    """The decision on the best model of an evaluation and those that it is compared with."""

    BETTER = "better"
    EQUIVALENT = "equivalent"
    NOT_WORSE = "not_worse"
    UNDECIDED = "undecided"
    WORSE = "worse"
    MIXED = "mixed"


class SeriesStatus(StrEnum):
    """Whether a series takes batches."""

    OPEN = "open"
    CLOSED = "closed"


class UnitState(StrEnum):
    """The state of a unit of work, as workers see it."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Stage(StrEnum):
    """The step of an evaluation that a unit of work computes."""

    START = "start"  # cuts the evaluation into chunks, or computes all of a small one
    CHUNK = "chunk"  # computes one chunk
    GATHER = "gather"  # computes the result from all chunks


class DeliveryState(StrEnum):
    """The state of a message to a webhook."""

    PENDING = "pending"  # waits for its first or its next attempt
    DELIVERED = "delivered"
    DEAD = "dead"  # every attempt failed; it can be sent again


class WebhookEvent(StrEnum):
    """What a webhook is told about."""

    SUCCEEDED = "evaluation.succeeded"
    FAILED = "evaluation.failed"
    CANCELLED = "evaluation.cancelled"
    DECIDED = "series.decided"


FINISHED: Final = frozenset(
    {EvaluationStatus.SUCCEEDED, EvaluationStatus.FAILED, EvaluationStatus.CANCELLED}
)
UNFINISHED: Final = frozenset(EvaluationStatus) - FINISHED
