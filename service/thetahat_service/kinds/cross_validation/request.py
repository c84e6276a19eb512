"""The request of a cross-validation."""

from __future__ import annotations

from typing import ClassVar, Final, Literal

from pydantic import Field

from thetahat.parameter_checks import MOST_SEEDS
from thetahat_service.kinds.fields.analysis import ProtocolField
from thetahat_service.kinds.fields.costs import ModelCostFields
from thetahat_service.kinds.fields.data import DataColumns, InlineData, has_role
from thetahat_service.kinds.fields.groups import GROUPS_FIELD, GroupByField, GroupColumnsField
from thetahat_service.kinds.fields.learners import LearnersRequest
from thetahat_service.kinds.fields.list_items import ValueItem
from thetahat_service.kinds.fields.loss_names import MetricEntry, MetricName
from thetahat_service.kinds.fields.probabilities import ProbabilitiesField
from thetahat_service.kinds.fields.sample import SampleInput
from thetahat_service.kinds.fields.weighting_names import (
    RiskEntry,
    RiskName,
    WeightsEntry,
    WeightsName,
)
from thetahat_service.schemas.base import Schema

DEFAULT_REPETITIONS: Final = 200


class TargetSampleFields(Schema):
    """The fields that add importance-weighted risks of each learner to the result."""

    target_sample: SampleInput | None = Field(
        None,
        description="A sample of another population. The result then has the importance-weighted "
        "risks of each learner there.",
    )
    weights: WeightsName | WeightsEntry | None = Field(
        None,
        description="The estimator of the importance weights of the rows. Default: gaussian_ratio.",
    )
    weighted_fit: bool = Field(
        False,
        strict=True,
        description="Whether fits use the importance weights too, and not only the risks.",
    )
    risks: list[RiskName | RiskEntry] | None = Field(
        None,
        min_length=1,
        max_length=20,
        description="Estimators of the risk under the target population. Left out: all.",
    )


class CalibrationInput(Schema):
    """The number and the size of the samples that a calibration draws from the data."""

    repetitions: int = Field(
        DEFAULT_REPETITIONS,
        ge=20,
        le=100_000,
        strict=True,
        description="Number of samples that are drawn.",
    )
    share: float = Field(
        0.5,
        gt=0,
        le=0.8,
        description="Share of the rows (of each source, if blocks are sources) in one sample; "
        "the truth is computed from the others.",
    )


class GroupedDataColumns(DataColumns, GroupColumnsField):
    """The columns of a data set, with those of groups.

    Learners do not see the columns of groups, unless features names them.
    """


class GroupedInlineData(InlineData):
    """A small data set in the request itself, with groups of its rows."""

    groups: dict[str, list[ValueItem]] | None = GROUPS_FIELD


class CrossValidationRequest(
    LearnersRequest,
    TargetSampleFields,
    GroupByField,
    ModelCostFields,
    ProbabilitiesField,
    ProtocolField,
):
    """Data, learners and a scheme, and optionally a sample of another population."""

    data_fields: ClassVar[frozenset[str]] = frozenset({"data", "target_sample"})
    fits_learners: ClassVar[bool] = True
    takes_costs: ClassVar[bool] = True

    kind: Literal["cross_validation"] = Field(
        "cross_validation", description="The kind of the evaluation."
    )
    columns: GroupedDataColumns | None = Field(
        None, description="Which column of the data set has which role."
    )
    data: GroupedInlineData | None = Field(
        None, description="The data, in the place of a data set."
    )
    metrics: list[MetricName | MetricEntry] = Field(
        default_factory=list,
        max_length=50,
        description="Metrics that are computed beside the loss, such as roc_auc or f1.",
    )
    seeds: int = Field(
        1,
        ge=1,
        le=MOST_SEEDS,
        strict=True,
        description="How often a learner that draws random numbers is trained on each split, each "
        "time with numbers of its own. Losses are means over the trainings, and seeds of each "
        "model says what these add to the variance.",
    )
    calibration: bool | CalibrationInput = Field(
        default=False,
        description="Whether to measure how often each interval covers on samples of these data.",
    )

    @property
    def has_weighted_fits(self) -> bool:
        """Whether rows have weights when learners are fitted."""
        return self.weighted_fit or has_role(self, "weight")

    def build_calibration_settings(self) -> CalibrationInput | None:
        """Return the settings of the calibration, or None if there is none."""
        if isinstance(self.calibration, CalibrationInput):
            return self.calibration
        return CalibrationInput() if self.calibration else None
