"""Webhooks and deliveries in requests and responses."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints

from thetahat_service.schemas.base import Schema
from thetahat_service.states import DeliveryState, WebhookEvent


class WebhookRequest(Schema):
    """A new webhook."""

    url: Annotated[str, StringConstraints(min_length=1, max_length=2000)] = Field(
        description="Where deliveries are sent: https, port 443, a public host, unless the "
        "operator has listed another.",
        examples=["https://hooks.example.com/thetahat"],
    )
    event_types: Annotated[
        list[WebhookEvent], Field(min_length=1, max_length=len(WebhookEvent))
    ] = Field(
        default_factory=lambda: list(WebhookEvent),
        description="What it is told about; by default every end of an evaluation, and the "
        "decision of every series.",
    )
    description: (
        Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")] | None
    ) = Field(None, description="A note for people.")
    labels: dict[str, str] = Field(
        default_factory=dict,
        max_length=20,
        description="It is told only about evaluations and series that have all these labels.",
        examples=[{"team": "x"}],
    )


class WebhookRead(BaseModel):
    """A webhook, without its secret."""

    id: UUID = Field(description="Id of the webhook.")
    url: str = Field(description="Where deliveries are sent.")
    event_types: list[WebhookEvent] = Field(description="What it is told about.")
    description: str | None = Field(description="The note; null without one.")
    labels: dict[str, str] = Field(
        description="It is told only about evaluations and series that have all these labels."
    )
    created_at: datetime = Field(description="The time at which it was registered.")
    disabled_at: datetime | None = Field(
        description="The time at which the receiver answered 410, after which nothing is sent; "
        "null while deliveries are sent."
    )
    previous_secret_until: datetime | None = Field(
        description="The time until which deliveries are signed with the previous secret, too; "
        "null if the secret was never rotated."
    )


class NewWebhook(WebhookRead):
    """A webhook with its new secret, which no other response shows."""

    secret: str = Field(
        description="Verifies the signatures of deliveries; whsec_ and 32 bytes in base64."
    )


class WebhookList(BaseModel):
    """All webhooks of an owner."""

    items: list[WebhookRead] = Field(description="The webhooks, the oldest first.")


class DeliveryRead(BaseModel):
    """A message to a webhook."""

    id: UUID = Field(description="Id of the delivery, which is its header webhook-id.")
    evaluation_id: UUID | None = Field(
        description="The evaluation that has ended; null for a series."
    )
    series_id: UUID | None = Field(
        description="The series that is decided; null for an evaluation."
    )
    event_type: WebhookEvent = Field(description="What has happened.")
    state: DeliveryState = Field(
        description="pending: waits for an attempt; delivered: the receiver answered 2xx; dead: "
        "every attempt failed."
    )
    attempts: int = Field(description="Attempts so far.")
    created_at: datetime = Field(description="The time of the event.")
    last_attempt_at: datetime | None = Field(
        description="The time of the last attempt; null before the first."
    )
    next_attempt_at: datetime | None = Field(
        description="The time of the next attempt; null if there is none."
    )
    last_status: int | None = Field(
        description="HTTP status of the last answer; null without an answer."
    )
    last_error: str | None = Field(description="Why the last attempt failed; null if it did not.")


class DeliveryPage(BaseModel):
    """One page of the deliveries of a webhook."""

    items: list[DeliveryRead] = Field(description="Deliveries, newest first.")
    next: str | None = Field(description="Pass as ?cursor= for the next page; null on the last.")
