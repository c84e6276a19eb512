"""The plan of an evaluation of predictions: losses, metrics and loss table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from thetahat.analyses.cross_validation.bias_variance import BiasVariance, split_predictions
from thetahat.analyses.losses import check, describe_other_loss
from thetahat.analyses.metrics.checks import check_metrics
from thetahat.cautions import Caution
from thetahat.error_paths import located_errors
from thetahat.errors import InvalidParameter, Loc
from thetahat.losses import LOSSES
from thetahat.losses.base import Loss, adapt_to_classes
from thetahat.metrics.base import TruthAndPredictions
from thetahat.refit_estimators import drop_refit_target
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import Layout
from thetahat.values.left_out_rows import LeftOut
from thetahat.values.types import BlockKind, FloatArray, Label
from thetahat.values.words import choose_words
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.kinds.fields.layout import (
    LAYOUT_COLUMNS,
    build_layout_of_columns,
    check_columns_given,
    read_inline_labels,
    read_label_columns,
    require_columns,
)
from thetahat_service.kinds.fields.left_out import ColumnReader
from thetahat_service.kinds.fields.locations import number_rows_as_sent
from thetahat_service.kinds.fields.methods import parse_method
from thetahat_service.kinds.fields.metrics import Metrics, check_scores, parse_metrics
from thetahat_service.kinds.predictions.model_predictions import (
    ModelPredictions,
    encode,
    read_classes,
    read_dataset,
    read_inline,
)
from thetahat_service.kinds.predictions.request import PredictionColumns, PredictionsRequest
from thetahat_service.kinds.supplied_fits import SuppliedEstimators, read_supplied_fits


@dataclass(frozen=True, slots=True, eq=False)
class PredictionsPlan:
    """The losses of the predictions, and the input of the metrics."""

    loss: Loss
    """The loss as the request names it."""
    metrics: Metrics
    """The metrics beside it."""
    table: LossTable
    """The losses of every model."""
    judged: Mapping[str, TruthAndPredictions]
    """The truth and the predictions by model, rows in the table's order."""
    classes: tuple[Label, ...]
    """Empty for a regression."""
    fits: SuppliedEstimators
    """Estimators that use losses of extra fits."""
    bias_variance: Mapping[str, BiasVariance] | None
    """By model, where several predictions of an instance are known; None where none are."""
    cautions: tuple[Caution, ...]
    """On probabilities that were normalised."""


def check_form(request: PredictionsRequest) -> None:
    """Refuse a request with neither inline predictions nor a data set, or with both."""
    is_inline = any(f is not None for f in (request.y, request.predictions, request.scores))
    if is_inline == (request.dataset is not None):
        raise InvalidParameter(
            "The request needs either y and predictions, or a dataset with columns. Give one of "
            "the two.",
            loc=("predictions",),
        )
    check_columns_given(request.dataset, request.columns)
    if is_inline and request.y is None:
        raise InvalidParameter("The field y is missing.", loc=("y",))
    columns = request if is_inline else request.columns
    if columns is not None and not columns.predictions and not columns.scores:
        loc: Loc = ("predictions",) if is_inline else ("columns", "predictions")
        raise InvalidParameter(
            "The field predictions is missing. Give the predictions of each model; for a loss of "
            "probabilities or decision values, its scores are enough.",
            loc=loc,
        )


def check_dataset(
    request: PredictionsRequest, columns: PredictionColumns, file: DatasetFile
) -> None:
    """Check a request without opening the data set."""
    check_metrics(
        parse_metrics(request.metrics),
        _find_task(_parse_loss(request)),
        without_scores=(columns.predictions or {}).keys() - (columns.scores or {}),
    )
    columns_by_path: dict[Loc, str | None] = {("columns", "target"): columns.target}
    for name in LAYOUT_COLUMNS:
        columns_by_path["columns", name] = getattr(columns, name)
    for model, column in (columns.predictions or {}).items():
        columns_by_path["columns", "predictions", model] = column
    for model, names in (columns.scores or {}).items():
        for i, column in enumerate([names] if isinstance(names, str) else names):
            columns_by_path["columns", "scores", model, i] = column
    require_columns(file, columns_by_path)


def build_plan(
    request: PredictionsRequest, datasets: Mapping[UUID, DatasetFile]
) -> PredictionsPlan:
    """Read the predictions, compute their losses, and check metrics and choices against them."""
    loss, reader = _parse_loss(request), ColumnReader(request)
    if request.dataset is not None and request.columns is not None:
        file, columns = datasets[request.dataset], request.columns
        data = read_dataset(
            file,
            columns.target,
            columns.predictions or {},
            columns.scores or {},
            reader,
            are_classes=_find_task(loss) != "regression",
        )
        labels: Mapping[str, object] = read_label_columns(file, columns, reader)
    else:
        data = read_inline(request.y or [], request.predictions or {}, request.scores or {}, reader)
        labels = read_inline_labels(request, len(data.y), reader)
    kind, n = request.blocks or BlockKind.RANDOM, len(data.y)
    kept_rows = reader.choose_rows(n, kind, labels["block"], labels["repeat"])
    layout = build_layout_of_columns(kind, labels, n, request.n_train, kept_rows)
    data = data.keep_rows(kept_rows)
    with number_rows_as_sent(kept_rows):
        return _compute_losses(
            request, loss, data, layout, None if kept_rows is None else kept_rows.left_out
        )


def _compute_losses(
    request: PredictionsRequest,
    loss: Loss,
    data: ModelPredictions,
    layout: Layout,
    left_out: LeftOut | None,
) -> PredictionsPlan:
    """Compute the losses of predictions, and check metrics and choices against them."""
    task = _find_task(loss)
    classes = () if task == "regression" else read_classes(data, request.classes)
    encoded = encode(loss, data, classes)
    y_true, predictions = encoded.truth, encoded.models
    metrics = parse_metrics(request.metrics)
    for entry in metrics:
        if entry.method.uses == "output":
            data.check_predictions(f"the metric {entry.name}")
    without_scores = [model for model in predictions if model not in data.scores]
    check_metrics(metrics, task, classes=classes, without_scores=without_scores)
    judged = {
        model: TruthAndPredictions(
            task=task,
            truth=y_true,
            output=predicted.output,
            scores=data.scores.get(model),
            classes=classes,
        )
        for model, predicted in predictions.items()
    }
    for model, judged_model in judged.items():
        check_scores(metrics, judged_model, data.build_paths(model)["scores"])

    loss_of_classes = adapt_to_classes(loss, classes)
    losses: dict[str, BlockLosses] = {}
    bias_variance: dict[str, BiasVariance] = {}
    for model, predicted in predictions.items():
        with located_errors(data.build_paths(model)):
            values = loss_of_classes.losses(y_true, predicted)
        losses[model] = BlockLosses(layout, values=values)
        part = _split_bias_and_variance(loss, layout, predicted.output, values)
        if part is not None:
            bias_variance[model] = part
    table = LossTable(layout, losses, loss_range=loss.value_range, left_out=left_out)
    table = table.with_words(choose_words(layout.kind, request.choices.noun))
    fits = read_supplied_fits(request.fits, table)
    choices = drop_refit_target(request.choices, fits.methods)
    check(layout, choices, table.names, describe_other_loss(table))
    return PredictionsPlan(
        loss, metrics, table, judged, classes, fits, bias_variance or None, encoded.cautions
    )


def _split_bias_and_variance(
    loss: Loss, layout: Layout, predicted: np.ndarray, losses: FloatArray
) -> BiasVariance | None:
    """Return bias and variance of a model if the loss has them and instances are named."""
    if layout.instance is None or not loss.info.loss.has_bias_and_variance:
        return None
    if loss.task == "regression":
        return split_predictions(layout.instance, predicted, losses, 0)
    labels, codes = np.unique(predicted, return_inverse=True)
    return split_predictions(layout.instance, codes, losses, len(labels))


def _parse_loss(request: PredictionsRequest) -> Loss:
    loss: Loss = parse_method(LOSSES, request.loss, ("loss",))
    return loss


def _find_task(loss: Loss) -> str:
    return loss.task or "classification"
