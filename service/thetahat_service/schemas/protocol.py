"""Protocols in requests of withdrawal and in responses; no field of a response has a default."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints

from thetahat.values.json_values import JsonValue
from thetahat_service.schemas.base import Schema


class PlanTime(StrEnum):
    """Whether a plan was fixed before the data were there."""

    BEFORE_DATA = "before_data"
    AFTER_DATA = "after_data"
    NOT_KNOWN = "not_known"


class DataWay(StrEnum):
    """How data came to the service."""

    UPLOADED = "uploaded"
    SENT = "sent"
    BATCHES = "batches"


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


class Deviation(BaseModel):
    """One thing that is not as planned."""

    field: str = Field(description="The field of the protocol.")
    planned: str = Field(description="What it fixes.")
    actual: str = Field(description="What was done.")
    text: str = Field(description="The deviation in words.")


class ProtocolOutcome(BaseModel):
    """How an evaluation or a series follows the protocol that it names."""

    id: UUID = Field(description="Id of the protocol.")
    name: str | None = Field(description="Its name.")
    fixes_margin: bool = Field(description="Whether it fixes a margin.")
    fixed_at: datetime = Field(description="When it was made, by the database's clock.")
    fixed: PlanTime = Field(
        description="Whether that was before the service first had these data of this owner."
    )
    data_came: DataWay = Field(
        description="How they came: uploaded; sent in the request; in batches of a series."
    )
    data_first_seen_at: datetime | None = Field(
        description="When they first came, of what is kept; null if this is the first time, or if "
        "it is not known."
    )
    evaluated_before: int = Field(
        description="Evaluations of these data, of those that are kept, that had ended when the "
        "protocol was made."
    )
    evaluated_besides: int = Field(
        description="Evaluations of these data, of those that are kept, that ended after the "
        "protocol was made and before this submission, and do not name it."
    )
    number: int = Field(
        description="1 for the first evaluation, or series, that named the protocol, 2 for the "
        "second, ..."
    )
    is_final: bool = Field(
        description="Whether the result was compared with the protocol, and not the request alone."
    )
    as_planned: bool = Field(description="Whether nothing deviates from the protocol.")
    deviations: list[Deviation] = Field(description="What deviates.")
    not_checked: list[str] = Field(
        description="Fields that are fixed and that this evaluation or series does not show, or "
        "not before its result."
    )
    sentence: str = Field(description="All this in words.")
