"""API keys and the audit log in requests and responses."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints

from thetahat_service.process.request_context import Scope
from thetahat_service.schemas.base import Schema

Name = Annotated[
    str, StringConstraints(min_length=1, max_length=120, pattern=r"^[^\x00-\x1f\x7f]+$")
]


class KeyRequest(Schema):
    """A new API key."""

    name: Name = Field(description="The purpose of the key.")
    owner: Name = Field(
        "local", description="The owner whose data the key gives access to; created if new."
    )
    scope: Scope = Field(
        Scope.SUBMIT,
        description="read: only GET; submit: also submit, upload, cancel and delete; metrics: "
        "only /metrics; admin: everything, also keys and the audit log.",
    )
    expires_at: datetime | None = Field(
        None, description="The time at which the key expires, with a time zone; null for never."
    )


class KeyRotation(Schema):
    """The replacement of a key by a new one."""

    grace_hours: Annotated[float, Field(strict=True, ge=0, le=24 * 90)] = Field(
        24.0, description="Hours for which the old key still works."
    )


class KeyRead(BaseModel):
    """An API key without its secret part."""

    prefix: str = Field(description="First characters of the key, which identify it.")
    name: str = Field(description="The purpose of the key.")
    owner: str = Field(
        description="The owner whose data sets and evaluations the key gives access to."
    )
    scope: Scope = Field(description="The requests that the key allows.")
    state: str = Field(description="The state of the key: in force, revoked or expired.")
    created_at: datetime = Field(description="The time at which the key was created.")
    expires_at: datetime | None = Field(
        description="The time at which the key expires; null for never."
    )
    last_used_at: datetime | None = Field(
        description="The time of its last use, to the minute; null for never."
    )
    revoked_at: datetime | None = Field(
        description="The time at which it was revoked; null if it was not."
    )


class NewKey(KeyRead):
    """A new API key with its secret part, which is shown only here."""

    key: str = Field(description="The whole key. Keep it: the service does not store it.")


class KeyList(BaseModel):
    """All API keys, oldest first."""

    items: list[KeyRead] = Field(description="The keys.")


class AuditEntryRead(BaseModel):
    """One entry of the audit log."""

    id: UUID = Field(description="Id of the entry.")
    at: datetime = Field(description="The time of the action.")
    actor: str = Field(
        description="First characters of the key, or local, command line or service."
    )
    action: str = Field(description="The action, such as evaluation.delete.")
    subject: str = Field(description="Id of the evaluation or data set, or prefix of the key.")
    request_id: str | None = Field(description="Id of the HTTP request; null if there was none.")


class AuditPage(BaseModel):
    """One page of the audit log."""

    items: list[AuditEntryRead] = Field(description="Entries, newest first.")
    next: str | None = Field(description="Pass as ?cursor= for the next page; null on the last.")
