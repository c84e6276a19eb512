"""Which learners predict all splits from one pass over the data, and what a split is to them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from thetahat.cross_validation.prepared import n_at_once
from thetahat.learners.base import FastLearner, Learner, LeftOutSplit, OrdinaryFit, OverSplits, Part
from thetahat.losses.base import Predictions
from thetahat.pipelines.pipeline import Pipeline
from thetahat.pipelines.scikit_learner import ScikitLearner
from thetahat.schemes.base import AllButTest, Split
from thetahat.tables.data import Data

LEARNS_TO_PREPARE: Final = OrdinaryFit("a preparation step learns from each training part")
OF_SCIKIT: Final = OrdinaryFit("scikit-learn's learners are fitted once per split")
HAS_NO_FAST_PATH: Final = OrdinaryFit("this learner is fitted once per split")

OUT_OF_SCALE: Final = OrdinaryFit("numbers are out of all scale")


def over_splits(learner: Learner, data: Data) -> OverSplits | OrdinaryFit:
    """Return what predicts the test part of any split, or why ``fit`` has to be called for each.

    Which of the two depends on the learner and the data alone. What is returned is kept for the
    next call: the parts of one job come one after another.
    """
    if isinstance(learner, Pipeline):
        return LEARNS_TO_PREPARE
    if isinstance(learner, ScikitLearner):
        return OF_SCIKIT
    if not hasattr(learner, "over_splits"):
        return HAS_NO_FAST_PATH
    fast: Any = learner  # a frozen dataclass, so it can be a key
    return _of_all_rows(fast, data)


def is_fast(learner: object) -> bool:
    """Whether a learner goes over all rows once, and not once per split."""
    if isinstance(learner, Pipeline) and n_at_once(learner.steps) == len(learner.steps):
        return is_fast(learner.learner)
    return not isinstance(learner, Pipeline | ScikitLearner) and hasattr(learner, "over_splits")


def cells(learner: Learner, data: Data, n_splits: int) -> int:
    """Return how much there is to do, about, in values of the data looked at once.

    A learner that is fitted once per split looks at all of them each time. One that is not goes
    over them a few times, or compares all rows with one another (``compares_rows``), and each
    split costs what it takes to write it down. It is known before a value is looked at, so it does
    not know of what the data may force upon a fast path.
    """
    stored = max(data.n, data.features.n_stored)
    if not is_fast(learner):
        return n_splits * stored
    pairs = data.n**2 // 2 if getattr(learner, "compares_rows", False) else 0
    return min(n_splits, 3) * stored + pairs + n_splits * (data.n // 10 + 1000)


@lru_cache(maxsize=2)
def _of_all_rows(learner: Any, data: Data) -> OverSplits | OrdinaryFit:
    fast: FastLearner = learner
    with np.errstate(all="ignore"):
        return fast.over_splits(
            data.features, data.y, weights=data.weight, n_classes=data.n_classes
        )


def predicted_at_once(
    shared: OverSplits | OrdinaryFit, split: Split, n: int
) -> Predictions | OrdinaryFit:
    """Return the predictions of one split of ``n`` rows, or why it has to be fitted.

    What is not a finite number is left to the plain path, which says what is wrong with it.
    """
    if isinstance(shared, OrdinaryFit):
        return shared
    with np.errstate(all="ignore"):
        return finite_or_plain(shared.predict(part_of(split, n)))


def finite_or_plain(said: Predictions | OrdinaryFit) -> Predictions | OrdinaryFit:
    """Return what is said of a split, unless it is out of all scale."""
    if isinstance(said, OrdinaryFit):
        return said
    parts = (said.output, said.probabilities, said.scores)
    if all(part is None or np.isfinite(part).all() for part in parts):
        return said
    return OUT_OF_SCALE


def part_of(split: Split, n: int) -> Part:
    """Return the rows of a split of ``n`` rows, those left out of its training part among them."""
    if isinstance(split, AllButTest) and split.n == n:
        return LeftOutSplit(split.test, split.n_train, lambda: split.train)
    absent = np.ones(n, dtype=np.bool_)
    absent[split.train] = False
    left_out = np.flatnonzero(absent)
    once = len(left_out) + len(split.train) == n
    return Part(split.train, split.test, left_out if once else None)
