"""The losses of predictions, and the input of the metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thetahat.analyses.cross_validation.bias_variance import BiasVariance, split_predictions
from thetahat.analyses.losses import ChosenMethod
from thetahat.analyses.metrics.checks import check_metrics, check_shape_of_scores
from thetahat.analyses.predictions.class_doubts import doubt_classes
from thetahat.analyses.predictions.model_predictions import ModelPredictions, encode, read_classes
from thetahat.cautions import Caution
from thetahat.error_paths import located_errors
from thetahat.losses.base import Loss, adapt_to_classes
from thetahat.metrics.base import Metric, TruthAndPredictions
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.block_nouns import BlockNoun
from thetahat.values.layout import Layout
from thetahat.values.left_out_rows import LeftOut
from thetahat.values.sorted_rows import is_sorted_by_truth
from thetahat.values.types import BlockKind, FloatArray, Label
from thetahat.values.words import choose_words


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PredictionLosses:
    """The losses of the predictions, and the input of the metrics."""

    table: LossTable
    """The losses of every model."""
    judged: Mapping[str, TruthAndPredictions]
    """The truth and the predictions by model, rows in the table's order."""
    classes: tuple[Label, ...]
    """Empty for a regression."""
    bias_variance: Mapping[str, BiasVariance] | None
    """By model, where several predictions of an instance are known; None where none are."""
    cautions: tuple[Caution, ...]
    """On probabilities that were normalised, and predictions of classes in doubt."""


def find_task(loss: Loss) -> str:
    """Return the task of a loss: those of decision values and margins are of two classes."""
    return loss.task or "classification"


def compute_losses(  # noqa: PLR0913 - the fields of a request that the losses depend on
    data: ModelPredictions,
    layout: Layout,
    loss: Loss,
    metrics: Sequence[ChosenMethod[Metric]],
    *,
    classes: Sequence[Any] | None = None,
    noun: BlockNoun | None = None,
    left_out: LeftOut | None = None,
) -> PredictionLosses:
    """Compute the losses of predictions, and check the metrics against the predictions.

    Parameters
    ----------
    classes : sequence of label or None
        The classes in the order of their codes; None for those that occur, sorted.
    noun : BlockNoun or None
        What a block is called, where the request says it.
    left_out : LeftOut or None
        Rows that are not among these.
    """
    task = find_task(loss)
    known_classes = () if task == "regression" else read_classes(data, classes)
    encoded = encode(loss, data, known_classes)
    for entry in metrics:
        if entry.method.uses == "output":
            data.check_predictions(f"the metric {entry.name}")
    without_scores = [model for model in encoded.models if model not in data.scores]
    check_metrics(metrics, task, classes=known_classes, without_scores=without_scores)
    judged = {
        model: TruthAndPredictions(
            task=task,
            truth=encoded.truth,
            output=predicted.output,
            scores=data.scores.get(model),
            classes=known_classes,
        )
        for model, predicted in encoded.models.items()
    }
    for model, judged_model in judged.items():
        check_shape_of_scores(metrics, judged_model, data.build_paths(model)["scores"])

    loss_of_classes = adapt_to_classes(loss, known_classes)
    losses: dict[str, BlockLosses] = {}
    bias_variance: dict[str, BiasVariance] = {}
    for model, predicted in encoded.models.items():
        with located_errors(data.build_paths(model)):
            values = loss_of_classes.losses(encoded.truth, predicted)
        losses[model] = BlockLosses(layout, values=values)
        part = _split_bias_and_variance(loss, layout, predicted.output, values)
        if part is not None:
            bias_variance[model] = part
    table = LossTable(
        layout,
        losses,
        loss_range=loss.value_range,
        left_out=left_out,
        is_sorted_by_truth=layout.kind is BlockKind.HOLDOUT and is_sorted_by_truth(encoded.truth),
    )
    doubts: Iterable[Caution] = ()
    if task != "regression":
        doubts = doubt_classes(
            encoded.truth, encoded.models, data.predictions, data.scores, known_classes
        )
    return PredictionLosses(
        table=table.with_words(choose_words(layout.kind, noun)),
        judged=judged,
        classes=known_classes,
        bias_variance=bias_variance or None,
        cautions=(*encoded.cautions, *doubts),
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
