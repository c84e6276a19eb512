"""The request for advice before an evaluation."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import ConfigDict, Field

from thetahat.advice.situation import LARGEST, LOWEST_LEVEL, MAX_MODELS, MAX_N, RAREST, SMALLEST
from thetahat.parameter_checks import HIGHEST_LEVEL
from thetahat.values.types import Target
from thetahat_service.schemas.base import Schema

MAX_SOURCES: Final = 10_000
MAX_CLASSES: Final = 1000
EXAMPLE: Final[dict[str, Any]] = {
    "n": 400,
    "class_counts": {"ill": 100, "well": 300},
    "fit_seconds": 2.5,
    "budget_seconds": 600,
    "expected_error": 0.2,
    "margin": 0.05,
}

Count = Annotated[int, Field(ge=1, le=MAX_N, strict=True)]
Seconds = Annotated[float, Field(gt=0, strict=True)]
Positive = Annotated[float, Field(ge=SMALLEST, le=LARGEST, strict=True)]


class AdviceSituation(Schema):
    """What is known about the data, the question and the budget; only ``n`` is necessary."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    n: Annotated[int, Field(ge=2, le=MAX_N, strict=True)] = Field(description="Number of rows.")
    question: Target | None = Field(
        None,
        description="these_models: how good the trained models are. these_sources: how good the "
        "learner is on further rows like these. new_source: how good it is on a source that is not "
        "among these. Left out: new_source if there are sources, else these_sources.",
    )
    source_sizes: list[Count] = Field(
        default_factory=list,
        max_length=MAX_SOURCES,
        description="Rows of each source, such as a school, hospital or task; they add up to n.",
    )
    class_counts: dict[str, Count] = Field(
        default_factory=dict,
        max_length=MAX_CLASSES,
        description="Rows of each class, for a classification; they add up to n.",
    )
    n_clusters: Count | None = Field(
        None,
        description="Number of groups of rows that depend on each other, such as the rows of one "
        "patient.",
    )
    time_ordered: bool = Field(
        False,
        strict=True,
        description="Whether rows are in an order of time, and models predict later ones.",
    )
    fit_seconds: Seconds | None = Field(
        None, description="Seconds that one fit of one model takes, on nearly all rows."
    )
    budget_seconds: Seconds | None = Field(
        None, description="Seconds that all fits together may take. Needs fit_seconds."
    )
    n_models: Annotated[int, Field(ge=1, le=MAX_MODELS, strict=True)] = Field(
        2, description="Number of models; two or more are compared."
    )
    expected_error: Annotated[float, Field(ge=RAREST, le=1 - RAREST, strict=True)] | None = Field(
        None, description="Expected share of errors, for a loss of 0 and 1."
    )
    loss_spread: Positive | None = Field(
        None,
        description="Standard deviation of one model's losses over rows, for other losses.",
    )
    correlation: Annotated[float, Field(ge=0, lt=1, strict=True)] = Field(
        0.5, description="Correlation of two models' losses on one row."
    )
    between_sources: Annotated[float, Field(ge=0, le=LARGEST, strict=True)] = Field(
        0.0,
        description="Standard deviation, between sources, of the expected loss and of the "
        "difference of two models.",
    )
    margin: Positive | None = Field(
        None, description="Largest difference of mean losses that does not matter."
    )
    level: Annotated[float, Field(ge=LOWEST_LEVEL, le=HIGHEST_LEVEL, strict=True)] = Field(
        0.95, description="Confidence level of intervals, from 0.5."
    )
    power: Annotated[float, Field(gt=0, lt=1, strict=True)] = Field(
        0.8, description="The chance with which a difference shall be found."
    )

    def list_known(self) -> dict[str, Any]:
        """Return the fields that the request has, as ``thetahat.advise`` takes them."""
        fields = {name: getattr(self, name) for name in self.model_fields_set}
        if "source_sizes" in fields:
            fields["source_sizes"] = tuple(self.source_sizes)
        return fields
