"""What metrics look at, from the outcomes of a learner over some splits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thetahat.cross_validation import SplitOutcome
from thetahat.errors import LearnerFailed
from thetahat.metrics.base import Judged
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray


def judged_from(outcomes: Sequence[SplitOutcome], data: Data, name: str) -> Judged:
    """Return truth, predictions and scores, split by split, as they stand in a loss table.

    Parameters
    ----------
    outcomes : sequence of SplitOutcome
        With their predictions.
    name : str
        What the request calls the learner, for the refusal of scores that are no numbers.
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
    """(n,) decision values of two classes, else (n, C) probabilities, if every split has them.

    Decision values come first, as in scikit-learn's own scorers: probabilities that have run into
    0 or 1 tie what they still tell apart. Where one learner had the one and another the other, in
    splits of their own as a selection may have them, each split has what it has: its own rows are
    in order, and those of two splits are not to be compared.
    """
    if n_classes == 2 and any(outcome.scores is not None for outcome in outcomes):
        values = [_of_second_class(outcome) for outcome in outcomes]
        known = [of_one for of_one in values if of_one is not None]
        return np.concatenate(known) if len(known) == len(outcomes) else None
    rows = [outcome.probabilities for outcome in outcomes if outcome.probabilities is not None]
    return np.concatenate(rows) if len(rows) == len(outcomes) else None


def _of_second_class(outcome: SplitOutcome) -> FloatArray | None:
    if outcome.scores is not None or outcome.probabilities is None:
        return outcome.scores
    return outcome.probabilities[:, 1]
