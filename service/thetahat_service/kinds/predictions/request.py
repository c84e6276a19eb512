"""The request of kind ``predictions``."""

from __future__ import annotations

from typing import Any, ClassVar, Literal
from uuid import UUID

from pydantic import Field, field_validator

from thetahat.losses import LOSSES
from thetahat.values.types import BlockKind
from thetahat_service.errors import run_checks
from thetahat_service.kinds.fields.analysis import AnalysisRequest, ProtocolField
from thetahat_service.kinds.fields.costs import CostColumnsField, CostFields
from thetahat_service.kinds.fields.groups import GroupColumnsField, GroupFields
from thetahat_service.kinds.fields.layout import LAYOUT_COLUMNS, LayoutColumns, LayoutFields
from thetahat_service.kinds.fields.left_out import LeftOutLossFields
from thetahat_service.kinds.fields.list_items import ScoreItem, SetItem, ValueItem
from thetahat_service.kinds.fields.loss_names import LossEntry, LossName, MetricEntry, MetricName
from thetahat_service.kinds.fields.methods import parse_method
from thetahat_service.kinds.fields.metrics import parse_metrics
from thetahat_service.kinds.fields.probabilities import ProbabilitiesField
from thetahat_service.kinds.ladder.step import LadderStep
from thetahat_service.kinds.supplied_fits import SuppliedFitsField
from thetahat_service.schemas.base import Schema
from thetahat_service.schemas.numbers import check_whole_sizes


class LimitColumns(Schema):
    """The columns of one model's prediction limits."""

    lower: str = Field(description="The column with the lower limits.")
    upper: str = Field(description="The column with the upper limits.")


class LimitsInput(Schema):
    """The prediction limits of one model."""

    lower: list[ValueItem] = Field(description="The lower limit of each row.")
    upper: list[ValueItem] = Field(description="The upper limit of each row.")


class OutputColumns(Schema):
    """The columns of a data set with the true values, and with what models predicted."""

    target: str = Field(description="The column with the true classes or values.")
    predictions: dict[str, str] | None = Field(
        None,
        min_length=1,
        description="The column of each model's predictions, by model. A loss of probabilities or "
        "decision values, such as log and brier, needs only scores.",
    )
    scores: dict[str, str | list[str]] | None = Field(
        None,
        description="The column of each model's scores (probability or decision value of the "
        "second class), or one column for each class, by model.",
    )


class PredictionColumns(OutputColumns, LayoutColumns, GroupColumnsField, CostColumnsField):
    """The columns of a data set of predictions."""

    sets: dict[str, list[str]] | None = Field(
        None,
        description="By model, for each class the column that has 1 where the class is in the "
        "prediction set, and else 0; in the order of classes.",
    )
    limits: dict[str, LimitColumns] | None = Field(
        None, description="The columns of each model's prediction limits, by model."
    )


class PredictionsRequest(
    AnalysisRequest,
    LayoutFields,
    LeftOutLossFields,
    GroupFields,
    CostFields,
    ProbabilitiesField,
    SuppliedFitsField,
    ProtocolField,
):
    """The true classes or values, and the predictions of every model."""

    data_fields: ClassVar[frozenset[str]] = frozenset(
        {
            *("y", "predictions", "scores", "sets", "limits", "classes", "groups", "fits"),
            *LAYOUT_COLUMNS,
        }
    )

    takes_costs: ClassVar[bool] = True

    kind: Literal["predictions"] = Field("predictions", description="The kind of the evaluation.")
    blocks: BlockKind | None = Field(
        None, description="What a block is. Left out: random folds are assumed, with a caution."
    )
    y: list[ValueItem] | None = Field(None, description="The true classes or values, by row.")
    predictions: dict[str, list[ValueItem]] | None = Field(
        None,
        description="The predictions by model, one for each row. A loss of probabilities or "
        "decision values, such as log and brier, needs only scores.",
    )
    scores: dict[str, list[ScoreItem]] | None = Field(
        None,
        description="The scores by model: for each row the probability of the second class, or "
        "the probabilities of all classes. The losses hinge, logistic and quadratic_margin take "
        "the decision value of the second class.",
    )
    sets: dict[str, list[SetItem]] | None = Field(
        None,
        description="The prediction sets by model: for each row the list of its classes. The "
        "losses miscoverage and size are computed of them.",
    )
    limits: dict[str, LimitsInput] | None = Field(
        None,
        description="The prediction limits by model. The losses miscoverage, size (their width) "
        "and interval_score are computed of them.",
    )
    classes: list[ValueItem] | None = Field(
        None,
        description="The classes in the order of the scores' columns. Left out: the classes that "
        "occur, sorted.",
    )
    dataset: UUID | None = Field(None, description="The id of an uploaded data set of predictions.")
    columns: PredictionColumns | None = Field(
        None, description="The columns of the data set, by what they hold."
    )
    n_train: float | dict[str, float] | None = Field(
        None, description="Number of training instances: one number, or one by block label."
    )
    loss: LossName | LossEntry = Field(
        description="The loss that is computed for each prediction and compared."
    )
    metrics: list[MetricName | MetricEntry] = Field(
        default_factory=list,
        max_length=50,
        description="Metrics of all predictions together, such as roc_auc, beside the loss.",
    )
    ladder: bool | LadderStep | None = Field(
        None,
        description="true, or a fixed step: the request is a submission to a Ladder on its "
        "data set. It is then a request of the kind ladder, of which the published score alone is "
        "answered, and takes only the fields of that kind.",
    )

    def check_choices(self) -> None:
        """Refuse choices that are wrong whatever the rows are."""
        run_checks(
            super().check_choices,
            lambda: parse_method(LOSSES, self.loss, ("loss",)),
            lambda: parse_metrics(self.metrics),
        )

    @field_validator("n_train", mode="before")
    @classmethod
    def _check_sizes(cls, value: Any) -> Any:
        return check_whole_sizes(value, "n_train")
