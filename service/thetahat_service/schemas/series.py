"""Series and looks in responses; no field has a default."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID

from pydantic import BaseModel, Field

from thetahat.analyses.series.design import Unit
from thetahat.analyses.series.plans import SeriesPlan
from thetahat.analyses.series.statements import Statement
from thetahat.analyses.series.steps import SequentialLook
from thetahat.values.json_values import JsonValue
from thetahat.values.types import Better
from thetahat_service.schemas.field_descriptions import describe_fields
from thetahat_service.schemas.protocol_outcome import ProtocolOutcome
from thetahat_service.states import SeriesStatus

_LOOK: Final = describe_fields(SequentialLook)
_PLAN: Final = describe_fields(SeriesPlan)


class LookRead(BaseModel):
    """What the look after a batch has shown."""

    number: int = Field(description=_LOOK["number"])
    rows: int = Field(description=_LOOK["rows"])
    n: int = Field(description=_LOOK["n"])
    estimate: float = Field(description=_LOOK["estimate"])
    standard_deviation: float = Field(description=_LOOK["standard_deviation"])
    lower: float | None = Field(description=_LOOK["lower"])
    upper: float | None = Field(description=_LOOK["upper"])
    e_value: float | None = Field(description=_LOOK["e_value"])
    p_value: float | None = Field(description=_LOOK["p_value"])
    holds: list[Statement] = Field(description=_LOOK["holds"])
    decision: Statement | None = Field(description=_LOOK["decision"])
    conditional_power: float | None = Field(description=_LOOK["conditional_power"])
    sentence: str = Field(description=_LOOK["sentence"])
    reason: str = Field(description=_LOOK["reason"])
    at: datetime = Field(description="The time of the batch, as its sender or else its receipt.")
    received_at: datetime = Field(description="The time at which the batch was received.")


class LookPage(BaseModel):
    """One page of the looks of a series."""

    items: list[LookRead] = Field(description="Looks, newest first.")
    next: str | None = Field(description="Pass as ?cursor= for the next page; null on the last.")


class SeriesMethod(BaseModel):
    """The sequential method of a series."""

    name: str = Field(description="Its name.")
    params: dict[str, JsonValue] = Field(description="All its parameters.")


class ExpectedRead(BaseModel):
    """What was expected before the first batch."""

    difference: float = Field(description="Mean difference, or mean minus the reference.")
    standard_deviation: float = Field(description="Standard deviation of single units.")
    batch_units: int = Field(description="Rows, or clusters, in a batch.")


class SeriesPlanRead(BaseModel):
    """When a decision is expected."""

    assumes: str = Field(description=_PLAN["assumes"])
    difference: float = Field(description=_PLAN["difference"])
    standard_deviation: float = Field(description=_PLAN["standard_deviation"])
    batch_units: float = Field(description=_PLAN["batch_units"])
    decision: Statement | None = Field(description=_PLAN["decision"])
    units: int | None = Field(description=_PLAN["units"])
    batches: int | None = Field(description=_PLAN["batches"])
    additional_batches: int | None = Field(description=_PLAN["additional_batches"])
    sentence: str = Field(description=_PLAN["sentence"])


class SeriesLinks(BaseModel):
    """Paths of a series and of what belongs to it."""

    self: str = Field(description="Path of the series.")
    batches: str = Field(description="Path for a POST request that adds a batch.")
    looks: str = Field(description="Path of its looks.")
    figure: str = Field(description="Path of its figure.")
    close: str = Field(description="Path for a POST request that closes it.")


class SeriesListed(BaseModel):
    """A series in a list: what is fixed, and how far it is."""

    id: UUID = Field(description="Id of the series.")
    name: str | None = Field(description="Name from the request.")
    labels: dict[str, str] = Field(description="Labels from the request.")
    status: SeriesStatus = Field(description="open: it takes batches; closed: it does not.")
    models: list[str] = Field(description="The model, or the two models, that it is about.")
    better: Better = Field(description="Which values are better.")
    reference: float | None = Field(description="What one model is compared with; null for two.")
    margin: float | None = Field(description="The difference that does not matter, if given.")
    level: float = Field(description="Confidence level of all looks together.")
    method: SeriesMethod = Field(description="The sequential method.")
    stop: list[Statement] = Field(description="Statements that are decisions.")
    protocol: ProtocolOutcome | None = Field(
        description="How it follows the protocol of the request; null without one."
    )
    unit: Unit = Field(description="What is independent.")
    expected: ExpectedRead | None = Field(description="What was expected, if it was said.")
    batches: int = Field(description="Batches so far.")
    rows: int = Field(description="Rows so far.")
    decision: Statement | None = Field(description="The decision, which stays; null without one.")
    decided_at: datetime | None = Field(description="The time of the decision.")
    decided_at_look: int | None = Field(description="The look that decided.")
    created_at: datetime = Field(description="The time of its creation.")
    last_batch_at: datetime | None = Field(description="The time of the newest batch.")
    closed_at: datetime | None = Field(description="The time at which it was closed.")
    links: SeriesLinks = Field(description="Related paths.")


class SeriesRead(SeriesListed):
    """A series with its newest look and its plan."""

    latest: LookRead | None = Field(description="The newest look; null before the first batch.")
    plan: SeriesPlanRead | None = Field(
        description="When a decision is expected; null after a decision, and if nothing is known."
    )
    sentence: str = Field(description="What is decided, and what the newest look has shown.")


class SeriesPage(BaseModel):
    """One page of the list of series."""

    items: list[SeriesListed] = Field(description="Series, newest first.")
    next: str | None = Field(description="Pass as ?cursor= for the next page; null on the last.")
