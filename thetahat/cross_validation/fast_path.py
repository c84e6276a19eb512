"""Fast paths: learners that predict all splits from one pass over the data."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from thetahat.cross_validation.stateless_steps import count_stateless_steps
from thetahat.learners.base import FastLearner, Learner, LeftOutSplit, OrdinaryFit, OverSplits, Part
from thetahat.losses.base import Predictions
from thetahat.pipelines.pipeline import Pipeline
from thetahat.pipelines.scikit_learner import ScikitLearner
from thetahat.schemes.base import ComplementSplit, Split
from thetahat.tables.data import Data

LEARNS_TO_PREPARE: Final = OrdinaryFit("a preparation step learns from each training part")
OF_SCIKIT: Final = OrdinaryFit("scikit-learn's learners are fitted once per split")
HAS_NO_FAST_PATH: Final = OrdinaryFit("this learner is fitted once per split")

NOT_FINITE: Final = OrdinaryFit("predictions are not finite")


def prepare_fast_path(learner: Learner, data: Data) -> OverSplits | OrdinaryFit:
    """Return the quantities from which any split is predicted, or why each needs a fit.

    The answer depends on the learner and the data alone. It is cached, because the chunks of one
    evaluation follow each other.
    """
    if isinstance(learner, Pipeline):
        return LEARNS_TO_PREPARE
    if isinstance(learner, ScikitLearner):
        return OF_SCIKIT
    if not isinstance(learner, FastLearner):
        return HAS_NO_FAST_PATH
    return _build_for_all_rows(learner, data)


def is_fast(learner: object) -> bool:
    """Return whether a learner reads all rows once rather than once for each split."""
    if isinstance(learner, Pipeline) and count_stateless_steps(learner.steps) == len(learner.steps):
        return is_fast(learner.learner)
    return isinstance(learner, FastLearner)


def estimate_cells(learner: Learner, data: Data, n_splits: int) -> int:
    """Estimate the work as the number of values of the data that are read.

    A learner that is fitted once per split reads all values each time. A learner with a fast path
    reads them a few times, or compares all rows with one another (``compares_rows``), and has a
    small cost for each split. The estimate does not depend on the values, so it ignores splits
    that need a fit because of them.
    """
    stored = max(data.n, data.features.n_stored)
    if not is_fast(learner):
        return n_splits * stored
    pairs = data.n**2 // 2 if isinstance(learner, FastLearner) and learner.compares_rows else 0
    return min(n_splits, 3) * stored + pairs + n_splits * (data.n // 10 + 1000)


@lru_cache(maxsize=2)
def _build_for_all_rows(learner: FastLearner, data: Data) -> OverSplits | OrdinaryFit:
    with np.errstate(all="ignore"):
        return learner.over_splits(
            data.features, data.y, weights=data.weight, n_classes=data.n_classes
        )


def predict_split(
    shared: OverSplits | OrdinaryFit, split: Split, n: int
) -> Predictions | OrdinaryFit:
    """Return the predictions of one split of ``n`` rows, or why it needs a fit.

    Predictions that are not finite need a fit, whose exception says what is wrong.
    """
    if isinstance(shared, OrdinaryFit):
        return shared
    with np.errstate(all="ignore"):
        return require_finite(shared.predict(build_part(split, n)))


def require_finite(prediction: Predictions | OrdinaryFit) -> Predictions | OrdinaryFit:
    """Return the prediction, or the reason for a fit if values are not finite."""
    if isinstance(prediction, OrdinaryFit):
        return prediction
    parts = (prediction.output, prediction.probabilities, prediction.scores)
    if all(part is None or np.isfinite(part).all() for part in parts):
        return prediction
    return NOT_FINITE


def build_part(split: Split, n: int) -> Part:
    """Return the training, test and left-out rows of a split of ``n`` rows."""
    if isinstance(split, ComplementSplit) and split.n == n:
        return LeftOutSplit(split.test, split.n_train, lambda: split.train)
    is_left_out = np.ones(n, dtype=np.bool_)
    is_left_out[split.train] = False
    left_out = np.flatnonzero(is_left_out)
    has_no_duplicates = len(left_out) + len(split.train) == n
    return Part(split.train, split.test, left_out if has_no_duplicates else None)
