"""What every request schema shares: nothing unknown, no NaN, no guessing of types."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

LabelKey = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=r"^[^:\s]+$")]
LabelValue = Annotated[str, StringConstraints(max_length=512)]
Seed = Annotated[int, Field(ge=0, lt=2**63, strict=True)]


class Schema(BaseModel):
    """An input: frozen, closed, finite."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class EvaluationRequest(Schema):
    """The fields that every kind has; a kind adds its own and narrows ``kind``."""

    kind: str
    name: Annotated[str, StringConstraints(max_length=200)] | None = None
    seed: Seed | None = None
    labels: dict[LabelKey, LabelValue] = Field(default_factory=dict, max_length=16)

    def dataset_ids(self) -> tuple[UUID, ...]:
        """Return the data sets that the request names."""
        return ()

    def canonical(self) -> dict[str, Any]:
        """Return what the result depends on: the request without its name and labels."""
        return self.model_dump(
            mode="json", by_alias=True, exclude={"name", "labels", "seed"}, exclude_unset=True
        )
