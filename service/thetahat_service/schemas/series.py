"""Series and looks in responses; no field has a default."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, Field

from thetahat.analyses.series.design import Unit
from thetahat.analyses.series.statements import Statement
from thetahat.values.json_values import JsonValue
from thetahat.values.types import Better
from thetahat_service.schemas.protocol_outcome import ProtocolOutcome
from thetahat_service.states import SeriesStatus


class LookRead(BaseModel):
    """What the look after a batch has shown."""

    number: int = Field(description="Number of the look, which is that of the batch, from 1.")
    rows: int = Field(description="Rows so far.")
    n: int = Field(description="Independent units so far: rows, or clusters.")
    estimate: float = Field(description="Mean difference, or mean of one model, so far.")
    standard_deviation: float = Field(description="Standard deviation of single units, divisor n.")
    lower: float | None = Field(
        description="Lower end of the interval, which holds for all looks together; null without "
        "one."
    )
    upper: float | None = Field(description="Its upper end; null without one.")
    e_value: float | None = Field(
        description="e-value against no difference, or against the reference; null for planned "
        "looks, without an interval, and above 1e300."
    )
    p_value: float | None = Field(
        description="p-value that holds for all looks together; null before the first interval."
    )
    holds: list[Statement] = Field(description="Statements that the interval shows.")
    decision: Statement | None = Field(
        description="The decision of the series at this look; null if it is undecided."
    )
    conditional_power: float | None = Field(
        description="Of planned looks, the probability that the last one reaches a goal of the "
        "stop rule if rows to come are like those so far; null for others and at the end."
    )
    sentence: str = Field(description="The look in words.")
    reason: str = Field(description="Why there is no interval; empty with one.")
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

    assumes: str = Field(
        description="expected: what the request expects; so_far: what the rows so far have."
    )
    difference: float = Field(description="The mean difference that is assumed.")
    standard_deviation: float = Field(description="The standard deviation that is assumed.")
    batch_units: float = Field(description="The rows, or clusters, in a batch that are assumed.")
    decision: Statement | None = Field(
        description="The decision that is expected; null if none is."
    )
    units: int | None = Field(
        description="Rows, or clusters, from the beginning to the decision; null if none is "
        "expected."
    )
    batches: int | None = Field(description="Batches from the beginning to the decision.")
    additional_batches: int | None = Field(description="Batches from now to the decision.")
    sentence: str = Field(description="The plan in words.")


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
