"""Evaluations as they are read; outputs have no defaults."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from service.states import EvaluationStatus


class EvaluationProgress(BaseModel):
    """How far it is."""

    done: int
    total: int | None
    unit: str


class LearnerProgress(BaseModel):
    """How far one learner is, in the unit of the progress."""

    done: int
    total: int
    status: Literal["queued", "running", "done", "failed"]


class EvaluationLinks(BaseModel):
    """Where to go from an evaluation."""

    self: str
    result: str
    losses: str
    figures: str
    cancel: str
    events: str


class EvaluationRead(BaseModel):
    """A job."""

    id: UUID
    kind: str
    name: str | None
    status: EvaluationStatus
    labels: dict[str, str]
    seed: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    progress: EvaluationProgress
    learners: dict[str, LearnerProgress] = Field(
        description="By name, while an evaluation that is cut by learner has not ended; else empty."
    )
    seconds_left: float | None = Field(
        description="Estimated from the chunks that are done; null while nobody can know."
    )
    error: dict[str, Any] | None = Field(description="Why it failed, as a problem document.")
    links: EvaluationLinks


class FinishedEvaluation(EvaluationRead):
    """A job that ended while its client waited."""

    result: dict[str, Any] | None = Field(description="Null unless it succeeded.")


class EvaluationPage(BaseModel):
    """A part of the list."""

    items: list[EvaluationRead]
    next: str | None = Field(description="Pass as ?cursor= for the next part; null at the end.")


class FigureLinks(BaseModel):
    """Where a figure is drawn."""

    svg: str
    png: str


class FigureRead(BaseModel):
    """A figure of a result; its numbers are in the result."""

    name: str
    title: str
    links: FigureLinks


class FigureList(BaseModel):
    """The figures of a result, in its order; only a study has some."""

    items: list[FigureRead]
