"""The request for a study."""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal
from uuid import UUID

from pydantic import ConfigDict, Field

from thetahat.parameter_checks import MAX_ROWS
from thetahat.values.json_values import JsonValue
from thetahat.values.types import Alternative
from thetahat_service.kinds.fields.analysis import (
    AnalysisRequest,
    IntervalMethods,
    TestMethods,
    VarianceMethods,
)
from thetahat_service.kinds.fields.data import DataColumns, InlineData
from thetahat_service.kinds.fields.list_items import LabelItem
from thetahat_service.kinds.fields.loss_names import LossEntry, LossName
from thetahat_service.kinds.fields.method_names import Method
from thetahat_service.kinds.fields.scheme_names import SchemeEntry, SchemeName
from thetahat_service.kinds.fields.weighting_names import (
    RiskEntry,
    RiskName,
    WeightsEntry,
    WeightsName,
)
from thetahat_service.schemas.base import EvaluationRequest, Schema

MOST_REPETITIONS: Final = 1_000_000
"""The largest number of repetitions."""
MOST_ESTIMATORS: Final = 50
"""The largest number of estimators."""

Labels = Annotated[list[LabelItem], Field(min_length=1)]


class RoleData(Schema):
    """A data set that a preset uses."""

    dataset: UUID | None = Field(None, description="The id of an uploaded data set.")
    columns: DataColumns | None = Field(None, description="The columns of the data set.")
    data: InlineData | None = Field(None, description="The data, instead of a data set.")
    task: Literal["classification", "regression"] = Field(
        "classification", description="The learning task."
    )


class PopulationInput(Schema):
    """A generator, or a data set taken as the population."""

    generator: Method | None = Field(None, description="A generator, by name.")
    dataset: UUID | None = Field(None, description="The id of an uploaded data set.")
    columns: DataColumns | None = Field(None, description="The columns of the data set.")
    data: InlineData | None = Field(None, description="The data, instead of a data set.")
    task: Literal["classification", "regression"] = Field(
        "classification", description="The learning task of the data."
    )
    duplicates: str | Labels | None = Field(
        None,
        description="A column, or one label per row. Rows with equal labels are copies, kept on "
        "one side of every split.",
    )
    n_judged: int = Field(
        10_000,
        ge=1,
        le=1_000_000,
        strict=True,
        description="The largest number of rows on which the truth is computed.",
    )


class DrawInput(Schema):
    """The size of the draw of one repetition."""

    n: int | None = Field(
        None, ge=1, le=MAX_ROWS, strict=True, description="Number of rows in all."
    )
    n_sources: int | None = Field(
        None, ge=1, le=MAX_ROWS, strict=True, description="Number of sources."
    )
    per_source: int | None = Field(
        None, ge=1, le=MAX_ROWS, strict=True, description="Number of rows of each source."
    )
    n_target: int | None = Field(
        None, ge=1, le=MAX_ROWS, strict=True, description="Number of rows of the target sample."
    )
    replace: bool = Field(
        default=False, strict=True, description="Whether a row of a data set may be drawn twice."
    )
    same_sources: int | None = Field(
        1,
        ge=1,
        le=MOST_REPETITIONS,
        description="How many repetitions share their sources; null keeps the first for all.",
    )


class EstimatorInput(Schema):
    """Learners under a scheme, and the methods applied to their losses."""

    model_config = ConfigDict(populate_by_name=True)

    as_: str | None = Field(
        None,
        alias="as",
        min_length=1,
        max_length=80,
        description="The estimator's name in the result; by default that of its scheme.",
    )
    scheme: SchemeName | SchemeEntry | None = Field(None, description="The resampling scheme.")
    learner: str | dict[str, JsonValue] | None = Field(None, description="One learner.")
    learners: dict[str, str | dict[str, JsonValue]] | None = Field(
        None, min_length=1, max_length=50, description="Several learners, by name."
    )
    loss: LossName | LossEntry | None = Field(
        None, description="The loss; by default that of the task."
    )
    level: float = Field(0.95, strict=True, description="The confidence level of intervals.")
    alternative: Alternative = Field(
        Alternative.TWO_SIDED, description="The alternative of tests and intervals."
    )
    control: str | None = Field(
        None, description="The learner that all others are compared with; default: all pairs."
    )
    variances: VarianceMethods | None = Field(
        None, description="Variance estimators; by default all that fit."
    )
    intervals: IntervalMethods | None = Field(
        None, description="Intervals; by default all that fit."
    )
    tests: TestMethods | None = Field(None, description="Paired tests; by default all that fit.")
    truths: list[str] | None = Field(
        None, max_length=10, description="The risks computed in every repetition."
    )
    select: Literal["least", "one_standard_error"] | None = Field(
        None, description="The rule by which one of the learners is chosen by its losses."
    )
    weights: WeightsName | WeightsEntry | None = Field(
        None, description="Importance weights of a source sample, if pairs of samples are drawn."
    )
    risks: list[RiskName | RiskEntry] | None = Field(
        None, min_length=1, max_length=20, description="Weighted risks; by default all."
    )


class EstimatorChoices(AnalysisRequest):
    """The choices of an estimator, parsed like those of any evaluation."""

    fits_learners: ClassVar[bool] = True


class StudyRequest(EvaluationRequest):
    """A preset with parameters, or a population, a draw and estimators."""

    model_config = ConfigDict(extra="allow")  # the parameters of a preset, which checks them

    kind: Literal["study"] = Field("study", description="The kind of the evaluation.")
    preset: str | None = Field(None, max_length=80, description="The name of a preset.")
    repetitions: int | None = Field(
        None,
        ge=1,
        le=MOST_REPETITIONS,
        strict=True,
        description="Number of repetitions; by default the preset's.",
    )
    extends: UUID | None = Field(
        None,
        description="The id of an earlier study whose repetitions are taken over. All other fields "
        "are those of that study and may be left out.",
    )
    inputs: dict[str, RoleData] = Field(
        default_factory=dict, max_length=8, description="The data sets of a preset, by role."
    )
    population: PopulationInput | None = Field(None, description="Where the data come from.")
    draw: DrawInput | None = Field(None, description="The size of a draw.")
    estimators: list[EstimatorInput] | None = Field(
        None,
        min_length=1,
        max_length=MOST_ESTIMATORS,
        description="The estimators that are computed from every draw.",
    )

    @property
    def overrides(self) -> dict[str, JsonValue]:
        """The parameters of the preset that the request gives."""
        return dict(self.model_extra or {})
