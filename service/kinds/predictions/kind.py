"""Kind ``predictions``: losses of given predictions, then everything that follows from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal
from uuid import UUID

import numpy as np
from pydantic import Field

from service.kinds.base import Chunks, DatasetFile, Finished, Job, JobKind
from service.kinds.fields.analysis import AnalysisRequest
from service.kinds.fields.layout import (
    BLOCKS_ASSUMED,
    LayoutColumns,
    LayoutFields,
    check_columns_given,
    dataset_columns,
    inline_columns,
    layout_from,
    require_columns,
    training_sizes,
)
from service.kinds.fields.methods import Method, build_one
from service.kinds.fields.methods_used import method_used
from service.kinds.fields.metrics import check_metrics, check_scores, metrics_of, metrics_used
from service.kinds.losses.loss_columns import losses_as_columns
from service.kinds.predictions.columns import (
    Said,
    class_labels,
    encoded,
    inline_said,
    said_in_dataset,
)
from service.kinds.predictions.losses import losses_of
from thetahat.analyses.losses import check, evaluate, other_than_zero_one
from thetahat.analyses.metrics.result import add_metrics
from thetahat.errors import InvalidParameter, Loc
from thetahat.losses import LOSSES
from thetahat.losses.base import Loss, Predictions
from thetahat.metrics.base import Judged
from thetahat.tables.labels import encode_labels, find_similar_labels
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.json_values import to_json, told
from thetahat.values.types import BlockKind


class PredictionColumns(LayoutColumns):
    """Columns of a data set of predictions."""

    target: str = Field(description="The truth.")
    predictions: dict[str, str] = Field(min_length=1, description="By model, a column.")
    scores: dict[str, str | list[str]] | None = Field(
        None, description="By model: the column of the second class's probability, or one a class."
    )


class PredictionsRequest(AnalysisRequest, LayoutFields):
    """The truth, and what each model said."""

    kind: Literal["predictions"] = "predictions"
    blocks: BlockKind | None = Field(None, description="What a block is; random if left out.")
    y: list[Any] | None = Field(None, description="The truth: class labels or numbers.")
    predictions: dict[str, list[Any]] | None = Field(None, description="By model, one per row.")
    scores: dict[str, list[Any]] | None = Field(
        None,
        description="By model: probability of the second class, or one row of probabilities each; "
        "for hinge, logistic and quadratic_margin the decision value of the second class.",
    )
    classes: list[Any] | None = Field(
        None, description="Class labels in the order of the scores' columns; sorted if left out."
    )
    dataset: UUID | None = None
    columns: PredictionColumns | None = None
    n_train: float | dict[str, float] | None = None
    loss: Method = Field(description="A pointwise loss.")
    metrics: list[Method] = Field(
        default_factory=list, max_length=50, description="Beside the loss: roc_auc, f1, ..."
    )

    def dataset_ids(self) -> tuple[UUID, ...]:
        """Return the data set of the predictions, if there is one."""
        return () if self.dataset is None else (self.dataset,)


class PredictionsKind(JobKind[PredictionsRequest]):
    """One unit of work."""

    name: ClassVar[str] = "predictions"
    title: ClassVar[str] = "From predictions"
    request = PredictionsRequest

    def check(self, request: PredictionsRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
        """Build the losses of an inline request; of a data set, check the names."""
        given = request
        _check_form(given)
        choices = given.choices()
        if given.dataset is not None and given.columns is not None:
            loss: Loss = build_one(LOSSES, given.loss, ("loss",))
            check_metrics(
                metrics_of(given.metrics),
                _task(loss),
                without_scores=given.columns.predictions.keys() - (given.columns.scores or {}),
            )
            require_columns(datasets[given.dataset], _wanted(given.columns))
            return
        table, _ = _judged_table(given, datasets)
        check(table.layout, choices, table.names, other_than_zero_one(table))

    def start(self, job: Job[PredictionsRequest]) -> Finished | Chunks:
        """Do it all."""
        given = job.request
        choices = given.choices()
        table, judged = _judged_table(given, job.datasets)
        metrics = metrics_of(given.metrics)
        check(table.layout, choices, table.names, other_than_zero_one(table))
        evaluation = evaluate(table, choices, job.seed)
        result = to_json(add_metrics(evaluation, metrics, judged, table.layout, choices, job.seed))
        if given.blocks is None:
            result["cautions"].append(to_json(BLOCKS_ASSUMED))
        classes = next(iter(judged.values())).classes
        result["cautions"] += told(find_similar_labels(classes, "labels"))
        loss: Loss = build_one(LOSSES, given.loss, ("loss",))
        result["methods"] = [
            method_used("losses", loss.info.name, loss),
            *metrics_used(metrics),
            *result["methods"],
        ]
        return Finished(result, losses_as_columns(table))


def _check_form(given: PredictionsRequest) -> None:
    inline = given.y is not None or given.predictions is not None
    if inline == (given.dataset is not None):
        raise InvalidParameter(
            "give either y and predictions, or a dataset with columns", loc=("predictions",)
        )
    check_columns_given(given.dataset, given.columns)
    if inline and (given.y is None or not given.predictions):
        missing = "y" if given.y is None else "predictions"
        raise InvalidParameter(f"{missing} is missing", loc=(missing,))


def _wanted(columns: PredictionColumns) -> dict[Loc, str | None]:
    wanted: dict[Loc, str | None] = {("columns", "target"): columns.target}
    for name in ("block", "repeat", "instance", "cluster"):
        wanted["columns", name] = getattr(columns, name)
    for model, column in columns.predictions.items():
        wanted["columns", "predictions", model] = column
    for model, named in (columns.scores or {}).items():
        for i, column in enumerate([named] if isinstance(named, str) else named):
            wanted["columns", "scores", model, i] = column
    return wanted


def _judged_table(
    given: PredictionsRequest, datasets: Mapping[UUID, DatasetFile]
) -> tuple[LossTable, dict[str, Judged]]:
    """Return the losses, and what the metrics look at: both by model, over one layout."""
    loss: Loss = build_one(LOSSES, given.loss, ("loss",))
    if given.dataset is not None and given.columns is not None:
        file, columns = datasets[given.dataset], given.columns
        said = said_in_dataset(file, columns.target, columns.predictions, columns.scores or {})
        layout_columns: Mapping[str, Any] = dataset_columns(file, columns)
    else:
        said = inline_said(given.y or [], given.predictions or {}, given.scores or {})
        layout_columns = inline_columns(given, len(said.y))
    block = layout_columns["block"]
    labels = encode_labels(block)[1] if block is not None else ()
    layout = layout_from(
        given.blocks or BlockKind.RANDOM,
        layout_columns,
        len(said.y),
        training_sizes(given.n_train, labels),
    )
    y_true, predictions = encoded(loss, said, given.classes)
    judged = _judged(given, loss, said, y_true, predictions)
    values = losses_of(loss, said, given.classes, y_true, predictions)
    losses = {model: BlockLosses(layout, values=row) for model, row in values.items()}
    return LossTable(layout, losses, loss_range=loss.value_range), judged


def _task(loss: Loss) -> str:
    return loss.task or "classification"


def _judged(
    given: PredictionsRequest,
    loss: Loss,
    said: Said,
    y_true: np.ndarray,
    predictions: Mapping[str, Predictions],
) -> dict[str, Judged]:
    """Return what the metrics look at; they are refused here where they do not fit."""
    task = _task(loss)
    classes = () if task == "regression" else class_labels(said, given.classes)
    metrics = metrics_of(given.metrics)
    check_metrics(
        metrics,
        task,
        classes=classes,
        without_scores=[model for model in predictions if model not in said.scores],
    )
    judged = {
        model: Judged(
            task=task,
            truth=y_true,
            output=predicted.output,
            scores=said.scores.get(model),
            classes=classes,
        )
        for model, predicted in predictions.items()
    }
    for model, one in judged.items():
        check_scores(metrics, one, (*said.scores_loc, model))
    return judged


KIND = PredictionsKind()
