"""What a request for a study may say."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final, Literal
from uuid import UUID

from pydantic import ConfigDict, Field

from service.kinds.fields.analysis import (
    AnalysisRequest,
    IntervalMethods,
    TestMethods,
    VarianceMethods,
)
from service.kinds.fields.data import DataColumns, InlineData
from service.kinds.fields.method_names import (
    LossEntry,
    LossName,
    Method,
    RiskEntry,
    RiskName,
    SchemeEntry,
    SchemeName,
    WeightsEntry,
    WeightsName,
)
from service.schemas.base import EvaluationRequest, Schema
from thetahat.values.types import Alternative

MOST_REPETITIONS: Final = 1_000_000
MOST_ESTIMATORS: Final = 50

Labels = Annotated[list[Any], Field(min_length=1)]


class RoleData(Schema):
    """A data set that plays a part in a preset."""

    dataset: UUID | None = None
    columns: DataColumns | None = None
    data: InlineData | None = None
    task: Literal["classification", "regression"] = "classification"


class PopulationInput(Schema):
    """A named generator, or a data set taken as the population."""

    generator: Method | None = None
    dataset: UUID | None = None
    columns: DataColumns | None = None
    data: InlineData | None = None
    task: Literal["classification", "regression"] = "classification"
    duplicates: str | Labels | None = Field(
        None,
        description="A column, or one label per row: rows with equal labels are copies, and are "
        "kept on one side of every split.",
    )
    n_judged: int = Field(
        10_000, ge=1, le=1_000_000, strict=True, description="Rows the truth is taken on, at most."
    )


class DrawInput(Schema):
    """How much one repetition draws."""

    n: int | None = Field(None, ge=1, strict=True, description="Rows in all.")
    n_sources: int | None = Field(None, ge=1, strict=True)
    per_source: int | None = Field(None, ge=1, strict=True)
    n_target: int | None = Field(None, ge=1, strict=True, description="Of the target sample.")
    replace: bool = Field(
        default=False, strict=True, description="Whether a data set's row may be drawn twice."
    )
    same_sources: int | None = Field(
        1,
        ge=1,
        description="How many repetitions draw from the same sources; null keeps the first.",
    )


class EstimatorInput(Schema):
    """Learners under a scheme, and what is made of their losses."""

    model_config = ConfigDict(populate_by_name=True)

    as_: str | None = Field(None, alias="as", min_length=1, max_length=80)
    scheme: SchemeName | SchemeEntry | None = None
    learner: str | dict[str, Any] | None = None
    learners: dict[str, str | dict[str, Any]] | None = Field(None, min_length=1, max_length=50)
    loss: LossName | LossEntry | None = None
    level: float = Field(0.95, strict=True)
    alternative: Alternative = Alternative.TWO_SIDED
    control: str | None = None
    variances: VarianceMethods | None = None
    intervals: IntervalMethods | None = None
    tests: TestMethods | None = None
    truths: list[str] | None = Field(None, max_length=10)
    select: Literal["least", "one_standard_error"] | None = Field(
        None, description="Choose one of the learners by its losses, by this rule."
    )
    weights: WeightsName | WeightsEntry | None = Field(
        None, description="Of a source sample, where pairs are drawn."
    )
    risks: list[RiskName | RiskEntry] | None = Field(None, min_length=1, max_length=20)


class EstimatorChoices(AnalysisRequest):
    """The choices of an estimator, read as those of any evaluation are."""

    fits_learners: ClassVar[bool] = True


class StudyRequest(EvaluationRequest):
    """A preset with what it overrides, or a population, a draw and estimators."""

    model_config = ConfigDict(extra="allow")  # a preset's own fields, which it checks

    kind: Literal["study"] = "study"
    preset: str | None = Field(None, max_length=80)
    repetitions: int | None = Field(
        None, ge=1, le=MOST_REPETITIONS, strict=True, description="Left out: the preset's own."
    )
    extends: UUID | None = Field(
        None,
        description="An earlier study whose repetitions are taken over; all else is as it was "
        "there and may be left out.",
    )
    inputs: dict[str, RoleData] = Field(
        default_factory=dict, max_length=8, description="Data sets of a preset, by role."
    )
    population: PopulationInput | None = None
    draw: DrawInput | None = None
    estimators: list[EstimatorInput] | None = Field(None, min_length=1, max_length=MOST_ESTIMATORS)

    def dataset_ids(self) -> tuple[UUID, ...]:
        """Return the data sets of the population and of the preset's parts."""
        given = [self.population, *self.inputs.values()]
        return tuple(one.dataset for one in given if one is not None and one.dataset is not None)

    @property
    def overrides(self) -> dict[str, Any]:
        """What is said besides the fields of every study."""
        return dict(self.model_extra or {})
