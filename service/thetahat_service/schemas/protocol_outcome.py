"""How an evaluation or a series follows its protocol, in results and responses.

No field has a default. Validators are built at first use: an evaluation without protocol needs
none.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field


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


class Deviation(BaseModel):
    """One thing that is not as planned."""

    model_config = ConfigDict(defer_build=True)

    field: str = Field(description="The field of the protocol.")
    planned: str = Field(description="What it fixes.")
    actual: str = Field(description="What was done.")
    text: str = Field(description="The deviation in words.")


class ProtocolOutcome(BaseModel):
    """How an evaluation or a series follows the protocol that it names."""

    model_config = ConfigDict(defer_build=True)

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
