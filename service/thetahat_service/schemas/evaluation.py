"""Evaluations in responses; no field has a default."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from thetahat.analyses.losses.result import GateOutcome
from thetahat.values.json_values import JsonValue
from thetahat_service.schemas.protocol_outcome import ProtocolOutcome
from thetahat_service.states import EvaluationStatus, OverallVerdict, SignOffDecision

ANY_RESULT: Final = "AnyResult"
"""The component of the OpenAPI document that is the union of all kinds' results."""


class EvaluationProgress(BaseModel):
    """How much of an evaluation is done."""

    done: int = Field(description="Finished units of work.")
    total: int | None = Field(description="All units of work; null until they are known.")
    unit: str = Field(description="The unit of the counts, such as splits or repetitions.")


class LearnerProgress(BaseModel):
    """How much of one learner's work is done."""

    done: int = Field(description="Finished units of work, in the unit of the evaluation.")
    total: int = Field(description="All units of work.")
    status: Literal["queued", "running", "done", "failed"] = Field(
        description="The status of the learner."
    )


class EvaluationLinks(BaseModel):
    """Paths of an evaluation and of what belongs to it."""

    self: str = Field(description="Path of the evaluation.")
    request: str = Field(description="Path of its request.")
    result: str = Field(description="Path of its result.")
    losses: str = Field(description="Path of its losses.")
    figures: str = Field(description="Path of its figures.")
    report: str = Field(description="Path of its report as HTML.")
    report_pdf: str = Field(description="Path of its report as PDF.")
    bundle: str = Field(description="Path of its bundle, for thetahat verify.")
    notebook: str = Field(description="Path of its notebook, which computes the result again.")
    sign_offs: str = Field(description="Path of its sign-offs.")
    cancel: str = Field(description="Path for a POST request that cancels it.")
    events: str = Field(description="Path of the stream of its events.")


class EvaluationRead(BaseModel):
    """An evaluation: a job with its status and progress."""

    id: UUID = Field(description="Id of the evaluation.")
    kind: str = Field(description="Kind of the evaluation, as in the request.")
    name: str | None = Field(description="Name from the request.")
    status: EvaluationStatus = Field(description="The status of the evaluation.")
    labels: dict[str, str] = Field(description="Labels from the request.")
    seed: int = Field(description="Seed of all random draws.")
    created_at: datetime = Field(description="The time of the submission.")
    started_at: datetime | None = Field(
        description="The time at which a worker began; null before."
    )
    finished_at: datetime | None = Field(description="The time at which it ended; null before.")
    progress: EvaluationProgress = Field(description="Finished and total units of work.")
    learners: dict[str, LearnerProgress] = Field(
        description="Progress by learner, while an evaluation with learners runs; else empty."
    )
    seconds_left: float | None = Field(
        description="Estimated seconds until the end, from the finished chunks; null if unknown."
    )
    summary: dict[str, JsonValue] | None = Field(
        description="The summary of the result; null until there is one, or if the kind has none."
    )
    headline: str | None = Field(
        description="The first sentence of the findings; null without a result, and for results "
        "of releases that did not keep it."
    )
    verdict: OverallVerdict | None = Field(
        description="The decision on the best model and those that it is compared with, mixed if "
        "it is not the same for all; null without a comparison."
    )
    gate: GateOutcome | None = Field(
        description="The outcome of the request's gate; null without one."
    )
    protocol: ProtocolOutcome | None = Field(
        description="How it follows the protocol of the request; null without one."
    )
    sign_off: SignOffDecision | None = Field(
        description="The decision of the newest sign-off; null if nobody has signed the result."
    )
    error: dict[str, JsonValue] | None = Field(
        description="The reason of a failure, as a problem document without status; else null."
    )
    links: EvaluationLinks = Field(description="Related paths.")


class FinishedEvaluation(EvaluationRead):
    """An evaluation that ended while the client waited, with its result."""

    result: Annotated[
        dict[str, JsonValue] | None,
        WithJsonSchema(
            {"anyOf": [{"$ref": f"#/components/schemas/{ANY_RESULT}"}, {"type": "null"}]}
        ),
    ] = Field(description="The result; null unless the evaluation succeeded.")


class EvaluationPart(BaseModel):
    """The fields of an evaluation, and of its result, that ``?fields=`` selects."""

    model_config = ConfigDict(extra="allow")


class EvaluationPage(BaseModel):
    """One page of the list of evaluations."""

    items: list[EvaluationRead] = Field(description="Evaluations, newest first.")
    next: str | None = Field(description="Pass as ?cursor= for the next page; null on the last.")


class LossTableRead(BaseModel):
    """The losses of an evaluation by column."""

    rows: int = Field(description="Number of rows.")
    columns: dict[str, list[float | str | bool | None]] = Field(
        description="Values by column: one column per model, and those that name the row, such as "
        "block and instance."
    )


class InstanceDifferenceRead(BaseModel):
    """The losses or scores of two models on one instance."""

    instance: str | int = Field(
        description="Label of the instance, or the number of its row, from 1.", examples=["pupil 7"]
    )
    block: str | int = Field(
        description="The block that it is in; the first of several.", examples=["school 3"]
    )
    cluster: str | int | None = Field(
        description="The cluster that it is in; null without clusters.", examples=[None]
    )
    a: float = Field(
        description="Loss or score of the first model, on average over repeats.", examples=[0.25]
    )
    b: float = Field(
        description="Loss or score of the second model, on average over repeats.", examples=[1.75]
    )
    difference: float = Field(description="The first minus the second.", examples=[-1.5])


class InstanceDifferencesRead(BaseModel):
    """A page of the instances on which two models differ, the largest difference first."""

    a: str = Field(description="The first model.", examples=["new"])
    b: str = Field(description="The second model.", examples=["old"])
    better: Literal["lower", "higher"] = Field(
        description="lower for losses, higher for scores.", examples=["lower"]
    )
    total: int = Field(description="Instances that fit the search.", examples=[1])
    items: list[InstanceDifferenceRead] = Field(
        description="The instances, the largest difference in size first."
    )
    next: int | None = Field(
        description="Pass as ?offset= for the next page; null on the last.", examples=[None]
    )


class FigureLinks(BaseModel):
    """Paths of one figure by format."""

    svg: str = Field(description="The figure as SVG.")
    png: str = Field(description="The figure as PNG.")
    pdf: str = Field(description="The figure as PDF.")
    json_: str = Field(alias="json", description="The figure as a Vega-Lite specification.")


class FigureRead(BaseModel):
    """A figure of a result; its numbers are those of the result."""

    name: str = Field(description="Name, unique in the result.")
    title: str = Field(description="What it shows, in a few words.")
    caption: str = Field(
        description="How to read it, what its bars are, and how many numbers they rest on."
    )
    alt: str = Field(description="What is seen, for those who do not see it.")
    about: list[str] = Field(description="The models that it is about; empty if all of them.")
    links: FigureLinks = Field(description="Where it is drawn.")


class FigureList(BaseModel):
    """The figures of a result, in the order in which they are read."""

    items: list[FigureRead] = Field(description="The figures.")
