"""The request of kind ``agreement``."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

from pydantic import Field

from thetahat.analyses.agreement.measuring import DEFAULT_RESAMPLES
from thetahat.numerics.agreement import RatingScale
from thetahat_service.kinds.fields.list_items import LabelItem, ValueItem
from thetahat_service.schemas.base import EvaluationRequest, Schema


class RatingColumns(Schema):
    """The columns of a data set of ratings, which has one row for each item."""

    ratings: list[str] = Field(
        min_length=2, max_length=20, description="The columns of ratings, one for each rater."
    )
    cluster: str | None = Field(
        None, description="The column with the cluster of each item; its items are dependent."
    )


class AgreementRequest(EvaluationRequest):
    """Ratings of the same items by several raters, people or judges."""

    data_fields: ClassVar[frozenset[str]] = frozenset({"ratings", "cluster"})

    kind: Literal["agreement"] = Field("agreement", description="The kind of the evaluation.")
    ratings: dict[str, list[ValueItem]] | None = Field(
        None,
        description="By rater, the rating of each item: texts, numbers or booleans, null where the "
        "rater did not rate the item.",
        examples=[{"anna": ["good", "bad", None], "judge": ["good", "good", "bad"]}],
    )
    dataset: UUID | None = Field(
        None, description="The id of an uploaded data set, in the place of ratings."
    )
    columns: RatingColumns | None = Field(
        None, description="Which columns of the data set hold the ratings."
    )
    scale: RatingScale = Field(
        "nominal",
        description="What the distance of two ratings means: nothing (nominal), their order "
        "(ordinal), or the difference of numbers (interval).",
    )
    truth: str | None = Field(
        None,
        description="The rater that the others are compared with, such as a person. Left out: all "
        "pairs are compared.",
    )
    positive: Any | None = Field(
        None,
        json_schema_extra={"anyOf": [{"type": t} for t in ("string", "number", "boolean", "null")]},
        description="The positive one of two categories, for sensitivity and specificity. Left "
        "out: the second one in order.",
    )
    categories: Annotated[list[ValueItem], Field(min_length=1, max_length=100)] | None = Field(
        None,
        description="All categories in their order. Left out: those that occur, sorted; ordinal "
        "ratings that are texts need it.",
    )
    cluster: list[LabelItem] | None = Field(
        None, description="The cluster of each item; items of one cluster depend on each other."
    )
    level: float = Field(
        0.95, strict=True, description="Confidence level of intervals, between 0 and 1."
    )
    n_resamples: Annotated[int, Field(strict=True)] = Field(
        DEFAULT_RESAMPLES,
        description="Resamples of items (or clusters) for the difference of two kappas.",
    )
