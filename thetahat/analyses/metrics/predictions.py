"""The truth and the predictions that metrics compare, from a learner's outcomes over splits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from thetahat.cross_validation import SplitOutcome
from thetahat.errors import LearnerFailed
from thetahat.metrics.base import TruthAndPredictions
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray

ROUNDING: Final = 1e-11
"""Largest relative difference of two scores that rounding is taken to have made."""


def collect_predictions(
    outcomes: Sequence[SplitOutcome], data: Data, name: str
) -> TruthAndPredictions:
    """Return truth, predictions and scores, split by split, in the row order of a loss table.

    ``outcomes`` have predictions, one for each split. ``name`` is the request's name of the
    learner, for the message about scores that are not numbers.
    """
    test = np.concatenate([outcome.test for outcome in outcomes])
    scores = collect_scores(outcomes, data.n_classes)
    if scores is not None and np.isnan(scores).any():
        raise LearnerFailed(f"Learner {name!r} gave scores that are not numbers.")
    return TruthAndPredictions(
        task=data.task,
        truth=data.y[test],
        output=np.concatenate([np.asarray(outcome.output) for outcome in outcomes]),
        scores=scores,
        classes=data.classes,
    )


def collect_scores(outcomes: Sequence[SplitOutcome], n_classes: int) -> FloatArray | None:
    """Return (n,) decision values of two classes or (n, C) probabilities; None if missing.

    Decision values are preferred, as in scikit-learn's scorers: probabilities that are rounded to
    0 or 1 are tied where decision values still differ. If the learner of some split has none, as
    may happen in a selection, probabilities are used for all splits. If the learner of another
    split has no probabilities, the scores of different splits must not be compared with each other.
    Scores of one split that differ by rounding alone are made equal.
    """
    probabilities = [o.probabilities for o in outcomes if o.probabilities is not None]
    scores = [merge_rounding(o.scores) for o in outcomes if o.scores is not None]
    if n_classes == 2 and len(scores) == len(outcomes):
        return np.concatenate(scores)
    if len(probabilities) == len(outcomes):
        return np.concatenate([_merge_columns(of_split) for of_split in probabilities])
    if n_classes == 2 and scores:
        values = [_get_scores_of_second_class(outcome) for outcome in outcomes]
        known = [of_one for of_one in values if of_one is not None]
        return np.concatenate(known) if len(known) == len(outcomes) else None
    return None


def merge_rounding(scores: FloatArray, *, is_share: bool = False) -> FloatArray:
    """Return (n,) scores of one model in which values that differ by rounding alone are equal.

    The products of a matrix with equal rows may differ in the last digits, by the place of the row.
    Two such rows are tied, and must not be ranked by these digits. ``is_share`` says whether they
    are probabilities, whose rounding errors are in proportion to each; those of decision values are
    in proportion to the largest.
    """
    if len(scores) < 2 or not np.isfinite(scores).all():
        return scores
    order = np.argsort(scores, kind="stable")
    ascending = scores[order]
    size = ascending[1:] if is_share else np.abs(ascending[[0, -1]]).max()
    is_new = np.ones(len(scores), dtype=np.bool_)
    is_new[1:] = np.diff(ascending) > ROUNDING * size
    merged = np.empty_like(scores)
    merged[order] = ascending[is_new][np.cumsum(is_new) - 1]
    return merged


def _merge_columns(probabilities: FloatArray) -> FloatArray:
    """Return (n, C) probabilities of one model with the ties that rounding has hidden."""
    if len(probabilities) < 2:
        return probabilities
    return np.column_stack([merge_rounding(column, is_share=True) for column in probabilities.T])


def _get_scores_of_second_class(outcome: SplitOutcome) -> FloatArray | None:
    if outcome.scores is not None:
        return merge_rounding(outcome.scores)
    if outcome.probabilities is None:
        return None
    return merge_rounding(outcome.probabilities[:, 1], is_share=True)
