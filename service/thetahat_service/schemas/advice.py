"""The request for advice before an evaluation."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import ConfigDict, Field

from thetahat.advice.situation import (
    LARGEST,
    LOWEST_LEVEL,
    MAX_MODELS,
    MAX_N,
    RAREST,
    SMALLEST,
    Situation,
)
from thetahat.parameter_checks import HIGHEST_LEVEL
from thetahat.values.types import Target
from thetahat_service.schemas.base import Schema
from thetahat_service.schemas.field_descriptions import describe_fields

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
_SITUATION: Final = describe_fields(Situation)


class AdviceSituation(Schema):
    """What is known about the data, the question and the budget; only ``n`` is necessary."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    n: Annotated[int, Field(ge=2, le=MAX_N, strict=True)] = Field(description=_SITUATION["n"])
    question: Target | None = Field(None, description=_SITUATION["question"])
    source_sizes: list[Count] = Field(
        default_factory=list, max_length=MAX_SOURCES, description=_SITUATION["source_sizes"]
    )
    class_counts: dict[str, Count] = Field(
        default_factory=dict, max_length=MAX_CLASSES, description=_SITUATION["class_counts"]
    )
    n_clusters: Count | None = Field(None, description=_SITUATION["n_clusters"])
    time_ordered: bool = Field(False, strict=True, description=_SITUATION["time_ordered"])
    fit_seconds: Seconds | None = Field(None, description=_SITUATION["fit_seconds"])
    budget_seconds: Seconds | None = Field(None, description=_SITUATION["budget_seconds"])
    n_models: Annotated[int, Field(ge=1, le=MAX_MODELS, strict=True)] = Field(
        2, description=_SITUATION["n_models"]
    )
    expected_error: Annotated[float, Field(ge=RAREST, le=1 - RAREST, strict=True)] | None = Field(
        None, description=_SITUATION["expected_error"]
    )
    loss_spread: Positive | None = Field(None, description=_SITUATION["loss_spread"])
    correlation: Annotated[float, Field(ge=0, lt=1, strict=True)] = Field(
        0.5, description=_SITUATION["correlation"]
    )
    between_sources: Annotated[float, Field(ge=0, le=LARGEST, strict=True)] = Field(
        0.0, description=_SITUATION["between_sources"]
    )
    margin: Positive | None = Field(None, description=_SITUATION["margin"])
    level: Annotated[float, Field(ge=LOWEST_LEVEL, le=HIGHEST_LEVEL, strict=True)] = Field(
        0.95, description=_SITUATION["level"]
    )
    power: Annotated[float, Field(gt=0, lt=1, strict=True)] = Field(
        0.8, description=_SITUATION["power"]
    )

    def list_known(self) -> dict[str, Any]:
        """Return the fields that the request has, as ``thetahat.advise`` takes them."""
        fields = {name: getattr(self, name) for name in self.model_fields_set}
        if "source_sizes" in fields:
            fields["source_sizes"] = tuple(self.source_sizes)
        return fields
