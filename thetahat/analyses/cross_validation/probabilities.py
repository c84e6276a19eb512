"""The predicted probabilities of learners that were cross-validated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from thetahat.analyses.probabilities.options import Probabilities
from thetahat.cross_validation import SplitOutcome
from thetahat.errors import UnsupportedCombination
from thetahat.learners.base import Learner
from thetahat.tables.data import CLASSIFICATION, Data
from thetahat.values.types import BlockKind

if TYPE_CHECKING:
    from thetahat.analyses.losses.by_probability import ProbabilitiesOfTable


def check_learners_for_probabilities(
    task: str, learners: Mapping[str, Learner], kind: BlockKind
) -> None:
    """Refuse another task, learners that predict no probabilities, and splits that overlap."""
    if task != CLASSIFICATION:
        raise UnsupportedCombination(
            f"Probabilities are those of classes, and the task is {task}. Leave probabilities out.",
            loc=("probabilities",),
        )
    if kind is BlockKind.SUBSAMPLES:
        raise UnsupportedCombination(
            "Probabilities are described over rows that are tested once, and this scheme may test "
            "a row several times. Leave probabilities out, or choose k_fold.",
            loc=("scheme",),
        )
    for name, learner in learners.items():
        if not getattr(learner, "gives_probabilities", True):
            raise _refuse(name)


def collect_probabilities(
    options: Probabilities | None, data: Data, outcomes: Mapping[str, Sequence[SplitOutcome]]
) -> ProbabilitiesOfTable | None:
    """Return the probabilities of each learner, with rows split by split as in the loss table."""
    if options is None:
        return None
    from thetahat.analyses.losses.by_probability import ProbabilitiesOfTable  # noqa: PLC0415 - seldom needed
    from thetahat.analyses.probabilities.events import PredictedProbabilities  # noqa: PLC0415 - same

    models = {}
    for name, of_learner in outcomes.items():
        parts = [outcome.probabilities for outcome in of_learner]
        present = [part for part in parts if part is not None]
        if len(present) < len(parts):
            raise _refuse(name)
        models[name] = np.concatenate(present)
    test = np.concatenate([outcome.test for outcome in next(iter(outcomes.values()))])
    predicted = PredictedProbabilities(truth=data.y[test], models=models, classes=data.classes)
    return ProbabilitiesOfTable(options=options, predicted=predicted)


def _refuse(name: str) -> UnsupportedCombination:
    return UnsupportedCombination(
        f"The learner {name!r} predicts no probabilities. Leave probabilities out, or choose a "
        "learner that does, such as logistic_regression.",
        loc=("learners", name),
    )
