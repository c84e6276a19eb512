"""The losses of predictions, and the input of the metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from thetahat.analyses.cross_validation.bias_variance import BiasVariance, split_predictions
from thetahat.analyses.losses import ChosenMethod
from thetahat.analyses.losses.cautions import suspect_scales, suspect_totals
from thetahat.analyses.metrics.checks import check_metrics, check_shape_of_scores
from thetahat.analyses.predictions.class_doubts import doubt_classes
from thetahat.analyses.predictions.model_predictions import (
    EncodedPredictions,
    ModelPredictions,
    encode,
    read_classes,
    read_probabilities,
)
from thetahat.analyses.predictions.regions import check_regions, encode_regions
from thetahat.cautions import Caution
from thetahat.error_paths import located_errors
from thetahat.errors import UnsupportedCombination
from thetahat.losses._regions import OF_REGIONS
from thetahat.losses.base import Loss, adapt_to_classes
from thetahat.metrics.base import Metric, TruthAndPredictions
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.block_nouns import BlockNoun
from thetahat.values.layout import Layout
from thetahat.values.left_out_rows import KeptRows
from thetahat.values.sorted_rows import find_splits_sorted_by_truth
from thetahat.values.types import FloatArray, Label
from thetahat.values.words import choose_words

if TYPE_CHECKING:
    from thetahat.analyses.losses.by_probability import ProbabilitiesOfTable
    from thetahat.analyses.probabilities.options import Probabilities


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
    probabilities: ProbabilitiesOfTable | None = None
    """The probabilities of all classes, where they are described."""


def find_task(loss: Loss, *, has_limits: bool = False) -> str:
    """Return the task of a loss: one of both is of values where there are prediction limits."""
    return loss.task or ("regression" if has_limits else "classification")


def compute_losses(  # noqa: PLR0913 - the fields of a request that the losses depend on
    data: ModelPredictions,
    layout: Layout,
    loss: Loss,
    metrics: Sequence[ChosenMethod[Metric]],
    *,
    classes: Sequence[Any] | None = None,
    noun: BlockNoun | None = None,
    kept: KeptRows | None = None,
    probabilities: Probabilities | None = None,
) -> PredictionLosses:
    """Compute the losses of predictions, and check the metrics against the predictions.

    Parameters
    ----------
    classes : sequence of label or None
        The classes in the order of their codes; None for those that occur, sorted.
    noun : BlockNoun or None
        What a block is called, where the request says it.
    kept : KeptRows or None
        Which rows these are; None for all that were sent.
    probabilities : Probabilities or None
        What is asked about predicted probabilities.
    """
    task = find_task(loss, has_limits=bool(data.limits))
    check_regions(loss, data)
    known_classes = () if task == "regression" else read_classes(data, classes)
    if loss.uses in OF_REGIONS:
        encoded = encode_regions(data, known_classes)
    else:
        encoded = encode(loss, data, known_classes)
    layout = replace(layout, are_sorted_by_truth=find_splits_sorted_by_truth(encoded.truth, layout))
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

    described, normalised = _read_probabilities(
        probabilities, data, encoded, loss, known_classes, layout
    )
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
        left_out=None if kept is None else kept.left_out,
    )
    doubts: Iterable[Caution] = ()
    if task == "regression":
        outputs = {m: each.output for m, each in encoded.models.items() if each.output.ndim == 1}
        columns = {"true values": encoded.truth, **outputs}
        doubts = chain(suspect_scales(columns, are_losses=False), suspect_totals(columns, kept))
    else:
        doubts = doubt_classes(
            encoded.truth, encoded.models, data.predictions, data.scores, known_classes
        )
    return PredictionLosses(
        table=table.with_words(choose_words(layout.kind, noun)),
        judged=judged,
        classes=known_classes,
        bias_variance=bias_variance or None,
        cautions=tuple(dict.fromkeys((*encoded.cautions, *normalised, *doubts))),
        probabilities=described,
    )


def _read_probabilities(  # noqa: PLR0913 - what probabilities are read from and checked against
    options: Probabilities | None,
    data: ModelPredictions,
    encoded: EncodedPredictions,
    loss: Loss,
    classes: tuple[Label, ...],
    layout: Layout,
) -> tuple[ProbabilitiesOfTable | None, list[Caution]]:
    """Return the probabilities of all models, and cautions on rounded ones."""
    if options is None:
        return None, []
    from thetahat.analyses.losses.by_probability import ProbabilitiesOfTable  # noqa: PLC0415 - seldom needed
    from thetahat.analyses.probabilities.events import EventRows, PredictedProbabilities  # noqa: PLC0415 - same

    if not classes or loss.uses == "scores" or loss.uses in OF_REGIONS:
        what = "takes decision values as scores" if loss.uses == "scores" else "is not of classes"
        what = "is of sets or limits" if loss.uses in OF_REGIONS else what
        raise UnsupportedCombination(
            f"Probabilities are those of classes, and the loss {loss.info.name} {what}. Leave "
            "probabilities out, or choose a loss of classes such as zero_one, brier or log.",
            loc=("probabilities",),
        )
    EventRows.choose(layout)
    models, cautions = {}, []
    for model in encoded.models:
        models[model], caution = read_probabilities(
            data, model, len(classes), "The field probabilities"
        )
        cautions += [] if caution is None else [caution]
    predicted = PredictedProbabilities(truth=encoded.truth, models=models, classes=classes)
    return ProbabilitiesOfTable(options=options, predicted=predicted), cautions


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
