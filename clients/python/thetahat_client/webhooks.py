"""Webhooks, their deliveries, and the outcomes of submissions that are sent together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from thetahat_client.documents import READ, Document
from thetahat_client.models import Evaluation, Problem


@dataclass(frozen=True, slots=True)
class Webhook(Document):
    """An address that the service tells of the ends of evaluations and of decided series."""

    id: str
    url: str
    event_types: tuple[str, ...] = field(default=(), kw_only=True)
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


@dataclass(frozen=True, slots=True)
class Delivery(Document):
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


@dataclass(frozen=True, slots=True)
class SubmissionOutcome(Document):
    """What became of one of many submissions."""

    index: int
    """Position of the request among those that were submitted."""
    evaluation: Evaluation | None = field(metadata={READ: Evaluation.read})
    """The evaluation; None if the request was refused."""
    problem: Problem | None = field(metadata={READ: Problem.read})
    """Why it was refused; None if it was accepted."""
    replayed: bool = False
    """Whether an earlier submission with the same key made the evaluation."""
