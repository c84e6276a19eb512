"""The truth and the predictions that metrics compare, from a learner's outcomes over splits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thetahat.cross_validation import SplitOutcome
from thetahat.errors import LearnerFailed
from thetahat.metrics.base import Judged
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray


def judged_from(outcomes: Sequence[SplitOutcome], data: Data, name: str) -> Judged:
    """Return truth, predictions and scores, split by split, in the row order of a loss table.

    Parameters
    ----------
    outcomes : sequence of SplitOutcome
        Outcomes with predictions, one for each split.
    name : str
        The request's name of the learner, for the message about scores that are not numbers.
    """
    test = np.concatenate([outcome.test for outcome in outcomes])
    scores = scores_from(outcomes, data.n_classes)
    if scores is not None and np.isnan(scores).any():
        raise LearnerFailed(f"learner {name!r} gave scores that are not numbers")
    return Judged(
        task=data.task,
        truth=data.y[test],
        output=np.concatenate([np.asarray(outcome.output) for outcome in outcomes]),
        scores=scores,
        classes=data.classes,
    )


def scores_from(outcomes: Sequence[SplitOutcome], n_classes: int) -> FloatArray | None:
    """Return (n,) decision values of two classes or (n, C) probabilities; None if missing.

    Decision values are preferred, as in scikit-learn's scorers: probabilities that are rounded to
    0 or 1 are tied where decision values still differ. If the learner of some split has none, as
    may happen in a selection, probabilities are used for all splits. If the learner of another
    split has no probabilities, the scores of different splits must not be compared with each other.
    """
    probabilities = [o.probabilities for o in outcomes if o.probabilities is not None]
    scores = [o.scores for o in outcomes if o.scores is not None]
    if n_classes == 2 and len(scores) == len(outcomes):
        return np.concatenate(scores)
    if len(probabilities) == len(outcomes):
        return np.concatenate(probabilities)
    if n_classes == 2 and scores:
        values = [_of_second_class(outcome) for outcome in outcomes]
        known = [of_one for of_one in values if of_one is not None]
        return np.concatenate(known) if len(known) == len(outcomes) else None
    return None


def _of_second_class(outcome: SplitOutcome) -> FloatArray | None:
    if outcome.scores is not None or outcome.probabilities is None:
        return outcome.scores
    return outcome.probabilities[:, 1]
