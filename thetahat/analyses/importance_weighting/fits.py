"""Losses of a learner at the values of its grid, on a fold and on the target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from thetahat.analyses.importance_weighting.candidates import LearnerWithGrid
from thetahat.analyses.importance_weighting.samples import SourceAndTarget
from thetahat.analyses.importance_weighting.sign_classifiers import (
    encode_signs,
    predict_from_scores,
)
from thetahat.analyses.importance_weighting.weighted_ridge import (
    compute_ridge_scores,
    fit_weighted_ridge,
)
from thetahat.cautions import NO_WEIGHT_TO_LEARN_FROM, Caution
from thetahat.cross_validation import run_splits
from thetahat.errors import EvaluationError, InsufficientData, LearnerFailed
from thetahat.losses.base import Loss, Predictions
from thetahat.schemes.base import Split
from thetahat.tables.data import CLASSIFICATION, Data
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class GridLosses:
    """Losses of consecutive values of a grid on one test part."""

    losses: FloatArray
    """(n_test, number of values) finite losses."""
    cautions: tuple[Caution, ...] = ()
    """Cautions of the fits, each once."""


def compute_fold_losses(  # noqa: PLR0913 - all that the losses depend on
    candidate: LearnerWithGrid,
    shift: SourceAndTarget,
    loss: Loss,
    weights: FloatArray | None,
    k: int,
    seed: int,
    *,
    start: int = 0,
    stop: int | None = None,
) -> GridLosses:
    """Return the losses on fold k of learners fitted to the other folds, with (n,) weights or none.

    The numbers depend only on the seed, the learner, its value and the fold, so the folds and the
    grid can be cut into chunks in any way.
    """
    return _compute_losses(
        candidate, shift.source, shift.split(k), loss, weights, seed, slice(start, stop)
    )


def compute_target_losses(  # noqa: PLR0913 - as compute_fold_losses
    candidate: LearnerWithGrid,
    shift: SourceAndTarget,
    loss: Loss,
    weights: FloatArray | None,
    seed: int,
    *,
    start: int = 0,
    stop: int | None = None,
) -> GridLosses:
    """Return the losses on the labelled target of learners fitted to the whole source."""
    data, split = shift.join_samples()
    padded = None if weights is None else np.concatenate([weights, np.zeros(shift.m)])
    return _compute_losses(candidate, data, split, loss, padded, seed, slice(start, stop))


def fit_ridge_to_source(
    candidate: LearnerWithGrid, shift: SourceAndTarget, weights: FloatArray | None
) -> tuple[FloatArray, FloatArray] | None:
    """Return (p, L) coefficients and (L,) intercepts of ridge fits to the whole source.

    One decomposition gives the fits for all penalties. None for learners other than ridge.
    """
    path = candidate.get_ridge_path()
    if path is None:
        return None
    data, (penalties, intercept) = shift.source, path
    return fit_weighted_ridge(
        data.features.complete_matrix(),
        encode_signs(data.y) if data.task == CLASSIFICATION else data.y,
        np.ones(data.n) if weights is None else weights,
        penalties,
        intercept=intercept,
    )


def _compute_losses(  # noqa: PLR0913 - as above
    candidate: LearnerWithGrid,
    data: Data,
    split: Split,
    loss: Loss,
    weights: FloatArray | None,
    seed: int,
    columns: slice,
) -> GridLosses:
    path = candidate.get_ridge_path()
    if path is not None:
        penalties, intercept = path
        return _compute_ridge_losses(
            candidate, data, split, loss, weights, penalties, columns, intercept=intercept
        )
    weighted = replace(data, weight=weights)
    losses: list[FloatArray] = []
    cautions: list[tuple[Caution, ...]] = []
    for j in range(*columns.indices(candidate.size)):
        try:
            (outcome,) = run_splits(
                candidate.name, candidate.learners[j], weighted, [split], loss, seed
            )
        except EvaluationError as error:
            raise _add_value_to_message(error, candidate, j) from error
        losses.append(outcome.losses)
        cautions.append(outcome.cautions)
    unique = dict.fromkeys(chain.from_iterable(cautions))
    return GridLosses(np.column_stack(losses), tuple(unique))


def _compute_ridge_losses(  # noqa: PLR0913 - as above
    candidate: LearnerWithGrid,
    data: Data,
    split: Split,
    loss: Loss,
    weights: FloatArray | None,
    penalties: FloatArray,
    columns: slice,
    *,
    intercept: bool,
) -> GridLosses:
    is_class = data.task == CLASSIFICATION
    w = np.ones(data.n) if weights is None else weights
    cautions: tuple[Caution, ...] = ()
    if not w[split.train].any():
        if intercept:
            raise InsufficientData(
                f"Learner {candidate.name!r} cannot be fitted without fold {split.label!r}: all "
                "weights of the training part are 0.",
                loc=("weights",),
            )
        cautions = (NO_WEIGHT_TO_LEARN_FROM(fold=repr(split.label)),)
    scores = compute_ridge_scores(
        data.features.complete_matrix(),
        encode_signs(data.y) if is_class else data.y,
        w,
        penalties[columns],
        split.train,
        split.test,
        intercept=intercept,
    )
    truth = data.y[split.test]
    losses = [
        loss.losses(truth, predict_from_scores(column) if is_class else Predictions(column))
        for column in scores.T
    ]
    loss_columns = np.column_stack(losses)
    if not np.isfinite(loss_columns).all():
        row, j = (int(i) for i in np.argwhere(~np.isfinite(loss_columns))[0])
        described = candidate.describe_candidate(j + (columns.start or 0))
        raise LearnerFailed(
            f"Learner {described}, block {split.label!r}: the loss of row {split.test[row]} is "
            f"{loss_columns[row, j]}, because the prediction is not finite or is too large.",
            value=str(loss_columns[row, j]),
        )
    return GridLosses(loss_columns, cautions)


def _add_value_to_message(
    error: EvaluationError, candidate: LearnerWithGrid, j: int
) -> EvaluationError:
    if candidate.parameter is None:
        return error
    message = f"{candidate.parameter} = {candidate.values[j]}: {error.message}"
    return type(error)(message, loc=error.loc, value=error.value)
