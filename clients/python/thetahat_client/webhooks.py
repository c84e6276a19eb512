"""Webhooks, their deliveries, and the outcomes of submissions that are sent together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, cast

from thetahat_client.models import Evaluation, Problem, ProblemJson, copy_members, parse_time
from thetahat_client.result_types import JsonObject

if TYPE_CHECKING:
    from thetahat_client.results import (
        BatchOutcomeDict,
        DeliveryReadDict,
        NewWebhookDict,
        WebhookReadDict,
    )


@dataclass(frozen=True, slots=True)
class Webhook:
    """An address that the service tells of the ends of evaluations and of decided series."""

    id: str
    url: str
    event_types: tuple[str, ...]
    """``evaluation.succeeded``, ``evaluation.failed``, ``evaluation.cancelled``,
    ``series.decided``."""
    description: str | None
    created_at: datetime | None
    disabled_at: datetime | None
    """When the receiver answered 410; nothing is sent from then on."""
    secret: str | None = field(default=None, repr=False)
    """Verifies signatures; only in the answers to ``Client.create_webhook`` and
    ``Client.rotate_webhook_secret``."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """It is told only of evaluations and series that have all these labels."""
    previous_secret_until: datetime | None = None
    """Until when deliveries are signed with the previous secret, too."""
    members: JsonObject = field(default_factory=dict, repr=False, compare=False)
    """The whole JSON object that the service sent."""

    @classmethod
    def read(cls, data: WebhookReadDict | NewWebhookDict) -> Webhook:
        """Return the object that JSON describes."""
        return cls(
            id=data["id"],
            url=data["url"],
            event_types=tuple(data.get("event_types", ())),
            description=data.get("description"),
            created_at=parse_time(data.get("created_at")),
            disabled_at=parse_time(data.get("disabled_at")),
            secret=cast("NewWebhookDict", data).get("secret"),
            labels=dict(data.get("labels") or {}),
            previous_secret_until=parse_time(data.get("previous_secret_until")),
            members=copy_members(data),
        )


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message to a webhook."""

    id: str
    evaluation_id: str | None
    """The evaluation that has ended; None for a series."""
    event_type: str
    state: str
    """``pending``, ``delivered`` or ``dead``."""
    attempts: int
    created_at: datetime | None
    last_attempt_at: datetime | None
    next_attempt_at: datetime | None
    last_status: int | None
    """HTTP status of the receiver's last answer; None without an answer."""
    last_error: str | None
    series_id: str | None = None
    """The series that is decided; None for an evaluation."""
    members: JsonObject = field(default_factory=dict, repr=False, compare=False)
    """The whole JSON object that the service sent."""

    @classmethod
    def read(cls, data: DeliveryReadDict) -> Delivery:
        """Return the object that JSON describes."""
        return cls(
            id=data["id"],
            evaluation_id=data["evaluation_id"],
            event_type=data["event_type"],
            state=data["state"],
            attempts=data["attempts"],
            created_at=parse_time(data.get("created_at")),
            last_attempt_at=parse_time(data.get("last_attempt_at")),
            next_attempt_at=parse_time(data.get("next_attempt_at")),
            last_status=data.get("last_status"),
            last_error=data.get("last_error"),
            series_id=data.get("series_id"),
            members=copy_members(data),
        )


@dataclass(frozen=True, slots=True)
class SubmissionOutcome:
    """What became of one of many submissions."""

    index: int
    """Position of the request among those that were submitted."""
    evaluation: Evaluation | None
    """The evaluation; None if the request was refused."""
    problem: Problem | None
    """Why it was refused; None if it was accepted."""
    replayed: bool = False
    """Whether an earlier submission with the same key made the evaluation."""

    @classmethod
    def read(cls, data: BatchOutcomeDict, first: int) -> SubmissionOutcome:
        """Return the outcome that JSON describes, of a batch that began at position ``first``."""
        evaluation, problem = data.get("evaluation"), data.get("problem")
        return cls(
            index=first + data["index"],
            evaluation=None if evaluation is None else Evaluation.read(evaluation),
            problem=None if problem is None else Problem.read(cast("ProblemJson", problem)),
            replayed=bool(data.get("replayed", False)),
        )
