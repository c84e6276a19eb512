"""Sign-offs in requests and responses."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints

from thetahat_service.schemas.base import Schema
from thetahat_service.states import SignOffDecision

MAX_COMMENT = 4000

NAME_PATTERN = r"^[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*$"
"""Printable characters in one line, of which one at least is no space."""

SignerName = Annotated[str, StringConstraints(min_length=1, max_length=120, pattern=NAME_PATTERN)]
Comment = Annotated[str, StringConstraints(max_length=MAX_COMMENT, pattern=r"^[^\x00]*$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class SignOffRequest(Schema):
    """The decision of a person who has read a result."""

    name: SignerName = Field(description="The person who signs.")
    decision: SignOffDecision = Field(
        description="approved: use it as the result says; rejected: do not; needs_changes: "
        "evaluate again after the changes in the comment."
    )
    comment: Comment = Field("", description="Reasons and conditions, shown in the report.")
    result_sha256: Sha256 | None = Field(
        None,
        description="SHA-256 of the bytes of GET .../result that were read. If it is not that of "
        "the recorded result, the sign-off is refused. Left out: the recorded result is signed.",
    )


class SignOffRead(BaseModel):
    """A sign-off; of several the newest one counts."""

    id: UUID = Field(description="Id of the sign-off.")
    at: datetime = Field(description="The time of the signature.")
    name: str = Field(description="The person who signed.")
    owner: str = Field(description="The owner of the API key that signed.")
    actor: str = Field(description="First characters of that key; local for none.")
    decision: SignOffDecision = Field(description="The decision.")
    comment: str = Field(description="Reasons and conditions; may be empty.")
    result_sha256: str = Field(description="SHA-256 of the result that was signed.")
    matches_result: bool = Field(
        description="Whether the result is still the one that was signed, byte by byte."
    )


class SignOffPage(BaseModel):
    """One page of the sign-offs of an evaluation."""

    items: list[SignOffRead] = Field(description="Sign-offs, newest first.")
    next: str | None = Field(description="Pass as ?cursor= for the next page; null on the last.")
