"""The requests of series: what is fixed at creation, and a batch of losses."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import AwareDatetime, Field, StringConstraints, field_validator

from thetahat.analyses.series.batches import Batch
from thetahat.analyses.series.design import DEFAULT_LEVEL, Expected, SeriesDesign, Unit
from thetahat.analyses.series.statements import Statement
from thetahat.errors import InvalidParameter
from thetahat.sequential import SEQUENTIAL_METHODS
from thetahat.sequential.asymptotic import Asymptotic
from thetahat.values.block_losses import MAX_LOSS
from thetahat.values.json_values import JsonValue, to_json
from thetahat.values.types import Better
from thetahat_service.kinds.fields.list_items import LabelItem, LossItem
from thetahat_service.kinds.fields.method_names import Listed, MethodEntry
from thetahat_service.kinds.fields.methods import parse_method
from thetahat_service.schemas.base import LabelKey, LabelValue, Schema
from thetahat_service.schemas.numbers import read_label_list, read_number_array

ModelName = Annotated[str, StringConstraints(min_length=1, max_length=120, pattern=r"^[^\x00]*$")]
SequentialName = Annotated[
    str, Listed("SequentialName", "A sequential method.", SEQUENTIAL_METHODS)
]


class SequentialEntry(MethodEntry[SequentialName]):
    """A sequential method with its parameters."""


class ExpectedRequest(Schema):
    """What is expected before the first batch, for the plan."""

    difference: float = Field(
        description="Mean of the first model minus that of the second, or minus the reference."
    )
    standard_deviation: float = Field(
        description="Standard deviation of the differences of single units, or of the losses of "
        "one model."
    )
    batch_units: int = Field(description="Rows, or clusters, in a batch.")


class SeriesRequest(Schema):
    """A new series; nothing of it changes later."""

    name: Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00]*$")] | None = Field(
        None, description="A name for people."
    )
    labels: dict[LabelKey, LabelValue] = Field(
        default_factory=dict,
        max_length=16,
        description="Keys and values, by which webhooks can choose series.",
    )
    models: list[ModelName] = Field(
        description="Two models, of which the first is compared with the second, or one model that "
        "is compared with a reference.",
        min_length=1,
        max_length=2,
        examples=[["new", "old"]],
    )
    better: Better = Field("lower", description="lower for losses, higher for scores.")
    reference: float | None = Field(
        None, description="The mean that a single model is compared with; only for one model."
    )
    margin: float | None = Field(
        None,
        gt=0,
        description="The difference that does not matter, above 0, in units of the loss.",
        examples=[0.02],
    )
    level: float = Field(
        DEFAULT_LEVEL, description="Confidence level of the intervals of all looks together."
    )
    method: SequentialName | SequentialEntry = Field(
        Asymptotic.info.name,
        description="The sequential method: its name, or an object with name and params "
        "(GET /v1/methods/sequential).",
    )
    stop: list[Statement] = Field(
        default_factory=list,
        max_length=len(Statement),
        description="Statements that are decisions. Left out: better and worse, and with a margin "
        "equivalent. futile is for planned looks.",
    )
    protocol: UUID | None = Field(
        None,
        description="The id of a protocol, which has fixed the plan. A series that is not as "
        "planned is refused.",
    )
    unit: Unit = Field(
        Unit.ROW,
        description="What is independent: row; or cluster, whose rows are averaged, and whose rows "
        "are all in one batch.",
    )
    expected: ExpectedRequest | None = Field(
        None, description="What is expected before the first batch, for the plan."
    )

    @field_validator("labels")
    @classmethod
    def _refuse_nul(cls, labels: dict[str, str]) -> dict[str, str]:
        for key, value in labels.items():
            if "\0" in key + value:
                raise InvalidParameter(
                    "A label must not have a NUL character.", loc=(key,), value=key + value
                )
        return labels

    def fix(self, design: SeriesDesign) -> dict[str, JsonValue]:
        """Return the request with every default of this release, as it is kept.

        A later release may have other defaults, and what is fixed must stay.
        """
        method: Any = design.method  # a protocol cannot say that its classes are dataclasses
        return {
            **self.model_dump(mode="json", by_alias=True),
            "method": {"name": design.method.info.name, "params": to_json(asdict(method))},
            "stop": [statement.value for statement in design.decisions],
        }

    def build_design(self) -> SeriesDesign:
        """Return what is fixed, checked; raises the errors of the library and the service."""
        expected = None if self.expected is None else self.expected.model_dump()
        return SeriesDesign(
            models=tuple(self.models),
            better=self.better,
            reference=self.reference,
            margin=self.margin,
            level=self.level,
            method=parse_method(SEQUENTIAL_METHODS, self.method, ("method",)),
            stop=tuple(self.stop),
            unit=self.unit,
            expected=None if expected is None else Expected(**expected),
        )


class SeriesBatch(Schema):
    """The losses of some rows."""

    losses: dict[ModelName, list[LossItem]] = Field(
        description="The losses, or scores, of each model on the same rows.",
        examples=[{"new": [0, 1, 0], "old": [1, 1, 0]}],
    )
    cluster: list[LabelItem] | None = Field(
        None, description="The cluster of each row, in a series whose units are clusters."
    )
    at: AwareDatetime | None = Field(
        None,
        description="The time of the batch, with its zone. Left out: when it is received.",
        examples=["2026-11-26T00:00:00Z"],
    )

    @field_validator("at")
    @classmethod
    def _convert_to_utc(cls, at: datetime | None) -> datetime | None:
        try:
            return None if at is None else at.astimezone(UTC)
        except OverflowError:
            raise InvalidParameter(
                f"The time {at} is outside the calendar in UTC.", value=str(at)
            ) from None

    def build_batch(self) -> Batch:
        """Return the losses as arrays, checked for what is no number and no label."""
        cluster = self.cluster
        return Batch(
            losses={
                name: read_number_array(values, ("losses", name), largest=MAX_LOSS, booleans=True)
                for name, values in self.losses.items()
            },
            cluster=None if cluster is None else read_label_list(cluster, ("cluster",)),
        )
