"""Protocols in requests of withdrawal and in responses; no field of a response has a default."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints

from thetahat.values.json_values import JsonValue
from thetahat_service.schemas.base import Schema


class WithdrawRequest(Schema):
    """Why a protocol is withdrawn."""

    reason: Annotated[
        str, StringConstraints(min_length=1, max_length=2000, pattern=r"^[^\x00]*\S[^\x00]*$")
    ] = Field(description="The reason, which is shown from then on.")


class ProtocolLinks(BaseModel):
    """Paths of a protocol and of what names it."""

    self: str = Field(description="Path of the protocol.")
    evaluations: str = Field(description="Path of the evaluations that name it.")
    withdraw: str = Field(description="Path for a POST request that withdraws it.")


class ProtocolRead(BaseModel):
    """A protocol: what is fixed, since when, and what names it."""

    id: UUID = Field(description="Id of the protocol.")
    name: str | None = Field(description="Name from the request.")
    description: str | None = Field(description="Description from the request.")
    fixed: dict[str, JsonValue] = Field(
        description="What is fixed: the other fields of the request that were given, with every "
        "parameter of methods."
    )
    fixed_at: datetime = Field(
        description="The time of its creation, by the database's clock, and not before that of "
        "the owner's newest data."
    )
    evaluations: int = Field(
        description="Evaluations that have named it, with those that were deleted."
    )
    series: int = Field(description="Series that have named it, with those that were deleted.")
    withdrawn_at: datetime | None = Field(
        description="The time at which it was withdrawn; null if it is in force."
    )
    withdrawn_reason: str | None = Field(description="Why it was withdrawn.")
    sentence: str = Field(description="When it was fixed, what names it, and its withdrawal.")
    links: ProtocolLinks = Field(description="Related paths.")


class ProtocolPage(BaseModel):
    """One page of the list of protocols."""

    items: list[ProtocolRead] = Field(description="Protocols, newest first.")
    next: str | None = Field(description="Pass as ?cursor= for the next page; null on the last.")
