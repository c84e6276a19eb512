"""Losses of a learner at every value of its grid: in a fold, and on the target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from thetahat.analyses.importance_weighting.candidates import LearnerWithGrid
from thetahat.analyses.importance_weighting.ridge_scores import ridge_coefficients, ridge_scores
from thetahat.analyses.importance_weighting.samples import Shift
from thetahat.analyses.importance_weighting.signs import said_by, signs_of
from thetahat.cautions import NO_WEIGHT_TO_LEARN_FROM, Caution
from thetahat.cross_validation import run_splits
from thetahat.errors import EvaluationError, InsufficientData, LearnerFailed
from thetahat.losses.base import Loss, Predictions
from thetahat.schemes.base import Split
from thetahat.tables.data import CLASSIFICATION, Data
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Assessed:
    """What a stretch of the grid did on one test part.

    Parameters
    ----------
    losses : ndarray of float
        (n_test, stretch) finite.
    cautions : tuple of Caution
        What the fits warned of, each once.
    """

    losses: FloatArray
    cautions: tuple[Caution, ...] = ()


def losses_on_fold(  # noqa: PLR0913 - what the losses depend on, and which of them
    candidate: LearnerWithGrid,
    shift: Shift,
    loss: Loss,
    weights: FloatArray | None,
    k: int,
    seed: int,
    *,
    start: int = 0,
    stop: int | None = None,
) -> Assessed:
    """Fit on all folds but k, with (n,) weights or none, and lose on fold k.

    The numbers depend on the seed, the learner, its value and the fold alone: folds and stretches
    of the grid may be done in any number of pieces.
    """
    return _tested(candidate, shift.source, shift.split(k), loss, weights, seed, slice(start, stop))


def losses_on_target(  # noqa: PLR0913 - as losses_on_fold
    candidate: LearnerWithGrid,
    shift: Shift,
    loss: Loss,
    weights: FloatArray | None,
    seed: int,
    *,
    start: int = 0,
    stop: int | None = None,
) -> Assessed:
    """Fit on the whole source, with (n,) weights or none, and lose on the labelled target."""
    data, split = shift.joined()
    padded = None if weights is None else np.concatenate([weights, np.zeros(shift.m)])
    return _tested(candidate, data, split, loss, padded, seed, slice(start, stop))


def refitted(
    candidate: LearnerWithGrid, shift: Shift, weights: FloatArray | None
) -> tuple[FloatArray, FloatArray] | None:
    """Return (p, L) coefficients and (L,) intercepts of the fits on the whole source.

    Of ridge alone, which one decomposition serves; None for other learners.
    """
    path = candidate.ridge_path()
    if path is None:
        return None
    data, (penalties, intercept) = shift.source, path
    return ridge_coefficients(
        data.features.complete_matrix(),
        signs_of(data.y) if data.task == CLASSIFICATION else data.y,
        np.ones(data.n) if weights is None else weights,
        penalties,
        intercept=intercept,
    )


def _tested(  # noqa: PLR0913 - as above
    candidate: LearnerWithGrid,
    data: Data,
    split: Split,
    loss: Loss,
    weights: FloatArray | None,
    seed: int,
    stretch: slice,
) -> Assessed:
    path = candidate.ridge_path()
    if path is not None:
        penalties, intercept = path
        return _ridge(
            candidate, data, split, loss, weights, penalties, stretch, intercept=intercept
        )
    weighted = replace(data, weight=weights)
    losses: list[FloatArray] = []
    cautions: list[tuple[Caution, ...]] = []
    for j in range(*stretch.indices(candidate.size)):
        try:
            (outcome,) = run_splits(
                candidate.name, candidate.learners[j], weighted, [split], loss, seed
            )
        except EvaluationError as error:
            raise _placed(error, candidate, j) from error
        losses.append(outcome.losses)
        cautions.append(outcome.cautions)
    unique = {(c.code, c.message): c for c in chain.from_iterable(cautions)}
    return Assessed(np.column_stack(losses), tuple(unique.values()))


def _ridge(  # noqa: PLR0913 - as above
    candidate: LearnerWithGrid,
    data: Data,
    split: Split,
    loss: Loss,
    weights: FloatArray | None,
    penalties: FloatArray,
    stretch: slice,
    *,
    intercept: bool,
) -> Assessed:
    is_class = data.task == CLASSIFICATION
    w = np.ones(data.n) if weights is None else weights
    cautions: tuple[Caution, ...] = ()
    if not w[split.train].any():
        if intercept:
            raise InsufficientData(
                f"learner {candidate.name!r}, fold {split.label!r}: all weights of the training "
                "part are zero; there is nothing to learn from",
                loc=("weights",),
            )
        cautions = (_no_weight(split),)
    scores = ridge_scores(
        data.features.complete_matrix(),
        signs_of(data.y) if is_class else data.y,
        w,
        penalties[stretch],
        split.train,
        split.test,
        intercept=intercept,
    )
    truth = data.y[split.test]
    losses = [
        loss.losses(truth, said_by(column) if is_class else Predictions(column))
        for column in scores.T
    ]
    found = np.column_stack(losses)
    if not np.isfinite(found).all():
        row, j = (int(i) for i in np.argwhere(~np.isfinite(found))[0])
        where = candidate.place_at(j + (stretch.start or 0))
        raise LearnerFailed(
            f"learner {where}, block {split.label!r}: the loss of row {split.test[row]} is "
            f"{found[row, j]}, for the prediction there is no finite number or out of all scale",
            value=str(found[row, j]),
        )
    return Assessed(found, cautions)


def _no_weight(split: Split) -> Caution:
    return NO_WEIGHT_TO_LEARN_FROM(fold=repr(split.label))


def _placed(error: EvaluationError, candidate: LearnerWithGrid, j: int) -> EvaluationError:
    if candidate.parameter is None:
        return error
    message = f"{candidate.parameter} = {candidate.values[j]}: {error.message}"
    return type(error)(message, loc=error.loc, value=error.value)
