"""Ladders and their published scores in responses; no field has a default."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, Field

from thetahat.values.json_values import JsonValue


class LadderLoss(BaseModel):
    """The loss of a Ladder."""

    name: str = Field(description="Its name.")
    params: dict[str, JsonValue] = Field(description="Those of its parameters that were sent.")


class LadderLinks(BaseModel):
    """Paths of a Ladder and of what belongs to it."""

    self: str = Field(description="Path of the Ladder.")
    scores: str = Field(description="Path of the scores that it has published.")
    figure: str = Field(description="Path of its figure.")
    dataset: str = Field(description="Path of its data set.")


class LadderRead(BaseModel):
    """A Ladder: what its first submission has fixed, and what is published."""

    id: UUID = Field(description="Id of the Ladder.")
    dataset: UUID = Field(
        description="Id of the data set; of several with the same content, the newest one."
    )
    target: str = Field(description="Its column with the true values.")
    n: int = Field(description="Rows of the data set.")
    loss: LadderLoss = Field(description="The loss, which the first submission has fixed.")
    step: float | None = Field(
        description="The fixed step; null for the step without a parameter, whose size is not "
        "shown."
    )
    score: float = Field(description="The published mean loss, of which lower ones are better.")
    leader: str | None = Field(
        description="The model that the published score belongs to; null if it was published "
        "before models were kept."
    )
    submissions: int = Field(description="Submissions so far.")
    created_at: datetime = Field(description="The time of the first submission.")
    last_at: datetime = Field(description="The time of the newest submission.")
    sentence: str = Field(description="What is published, in words.")
    links: LadderLinks = Field(description="Related paths.")


class LadderPage(BaseModel):
    """One page of the list of Ladders."""

    items: list[LadderRead] = Field(description="Ladders, newest first.")
    next: str | None = Field(description="Pass as ?cursor= for the next page; null on the last.")


class LadderScoreRead(BaseModel):
    """A score that a Ladder has published."""

    submission: int = Field(description="Number of the submission that changed the score.")
    score: float = Field(description="The mean loss that is published from then on.")
    model: str | None = Field(
        description="The model of the submission; null if it came before models were kept."
    )
    at: datetime = Field(description="The time of the submission.")


class LadderScorePage(BaseModel):
    """One page of the scores that a Ladder has published."""

    items: list[LadderScoreRead] = Field(description="Scores, newest first.")
    next: str | None = Field(description="Pass as ?cursor= for the next page; null on the last.")
