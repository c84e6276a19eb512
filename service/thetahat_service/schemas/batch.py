"""Several evaluations submitted with one request, and what became of each."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BaseModel, Field, StringConstraints, WithJsonSchema

from thetahat.values.json_values import JsonValue
from thetahat_service.schemas.base import Schema
from thetahat_service.schemas.evaluation import EvaluationRead
from thetahat_service.schemas.problem import ProblemDocument

KEY_PATTERN: Final = "^[ -~]*[!#-~][ -~]*$"
MAX_KEY_LENGTH: Final = 255


class BatchItem(Schema):
    """One evaluation of a batch."""

    request: Annotated[
        dict[str, JsonValue],
        WithJsonSchema({"anyOf": [{"$ref": "#/components/schemas/AnyRequest"}]}),
    ] = Field(description="The body of POST /v1/evaluations.")
    idempotency_key: (
        Annotated[
            str, StringConstraints(min_length=1, max_length=MAX_KEY_LENGTH, pattern=KEY_PATTERN)
        ]
        | None
    ) = Field(
        None,
        description="As the header Idempotency-Key of POST /v1/evaluations. Left out: it follows "
        "from the header of the batch and the position of the item, if the batch has the header.",
    )


class BatchRequest(Schema):
    """Evaluations to submit; each is accepted or refused by itself."""

    items: list[BatchItem] = Field(
        min_length=1,
        description="The evaluations, at most THETAHAT_MAX_BATCH of them.",
    )


class BatchOutcome(BaseModel):
    """What became of one item of a batch."""

    index: int = Field(description="Position of the item in the batch, from 0.")
    status: int = Field(
        description="The status that POST /v1/evaluations would have: 202, or that of the problem."
    )
    replayed: bool = Field(
        description="Whether an earlier request with the same idempotency key made the evaluation."
    )
    evaluation: EvaluationRead | None = Field(description="The evaluation; null if refused.")
    problem: ProblemDocument | None = Field(
        description="Why the item was refused; null if it was accepted. Paths begin with items, "
        "the position and request."
    )


class BatchOutcomes(BaseModel):
    """What became of a batch, in the order of its items."""

    accepted: int = Field(description="Number of items with an evaluation.")
    refused: int = Field(description="Number of items that were refused.")
    items: list[BatchOutcome] = Field(description="The outcome of each item.")
