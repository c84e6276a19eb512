"""API keys and the audit log in requests and responses."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints

from service.process.request_context import Scope
from service.schemas.base import Schema

Name = Annotated[
    str, StringConstraints(min_length=1, max_length=120, pattern=r"^[^\x00-\x1f\x7f]+$")
]


class KeyRequest(Schema):
    """A new API key."""

    name: Name = Field(description="What the key is for.")
    owner: Name = Field(
        "local", description="Whose data sets and evaluations it gives access to; created if new."
    )
    scope: Scope = Field(
        Scope.SUBMIT,
        description="read: only GET; submit: also submit, upload, cancel and delete; metrics: "
        "only /metrics; admin: everything, also keys and the audit log.",
    )
    expires_at: datetime | None = Field(
        None, description="When the key stops to work, with a time zone; null: never."
    )


class KeyRotation(Schema):
    """How a key is replaced by a new one."""

    grace_hours: Annotated[float, Field(ge=0, le=24 * 90)] = Field(
        24.0, description="Hours for which the old key still works."
    )


class KeyRead(BaseModel):
    """An API key without its secret part."""

    prefix: str = Field(description="First characters of the key, by which it is named.")
    name: str = Field(description="What the key is for.")
    owner: str = Field(description="Whose data sets and evaluations it gives access to.")
    scope: Scope = Field(description="What it may do.")
    state: str = Field(description="in force, revoked or expired.")
    created_at: datetime = Field(description="When it was created.")
    expires_at: datetime | None = Field(description="When it stops to work; null: never.")
    last_used_at: datetime | None = Field(
        description="When it was last used, to the minute; null: never."
    )
    revoked_at: datetime | None = Field(description="When it was revoked; null: not revoked.")


class NewKey(KeyRead):
    """A new API key with its secret part, which is shown only here."""

    key: str = Field(description="The whole key. Keep it: the service does not store it.")


class KeyList(BaseModel):
    """All API keys, oldest first."""

    items: list[KeyRead] = Field(description="The keys.")


class AuditEntryRead(BaseModel):
    """One entry of the audit log."""

    id: UUID = Field(description="Id of the entry.")
    at: datetime = Field(description="When it happened.")
    actor: str = Field(
        description="First characters of the key, or local, command line or service."
    )
    action: str = Field(description="What was done, such as evaluation.delete.")
    subject: str = Field(description="Id of the evaluation or data set, or prefix of the key.")
    request_id: str | None = Field(description="Id of the HTTP request; null if there was none.")


class AuditPage(BaseModel):
    """One page of the audit log."""

    items: list[AuditEntryRead] = Field(description="Entries, newest first.")
    next: str | None = Field(description="Pass as ?cursor= for the next page; null on the last.")
