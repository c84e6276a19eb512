"""Metrics of learners that the service fits: what can be refused early, and what they look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from uuid import UUID

import numpy as np

from service.jobs.kinds._cross_validation_plan import Plan, learners_of, loss_of
from service.jobs.kinds._data_input import data_from
from service.jobs.kinds._metrics import Metrics, check_metrics
from service.jobs.kinds.base import DatasetFile
from thetahat.errors import LearnerFailed, UnsupportedCombination
from thetahat.learners.base import Learner
from thetahat.metrics.base import Judged
from thetahat.resampling import SplitOutcome
from thetahat.types import FloatArray

if TYPE_CHECKING:
    from service.jobs.kinds._learners_input import LearnersRequest


def check_learners(
    metrics: Metrics, given: LearnersRequest, datasets: Mapping[UUID, DatasetFile]
) -> None:
    """Refuse metrics that do not fit the task, the learners or the classes; nothing is fitted."""
    if not metrics:
        return
    learners = learners_of(given, loss_of(given))
    classes = None
    if given.dataset is None and given.task == "classification":
        classes = data_from(given, datasets).classes
    silent = [name for name, learner in learners.items() if not _gives_scores(learner)]
    check_metrics(metrics, given.task, classes=classes, without_scores=silent)


def judged_of(
    metrics: Metrics, plan: Plan, ran: Mapping[str, Sequence[SplitOutcome]]
) -> dict[str, Judged]:
    """Return what the metrics look at, by learner: rows split by split, as in the loss table."""
    if not metrics:
        return {}
    data = plan.data
    test = np.concatenate([outcome.test for outcome in next(iter(ran.values()))])
    judged = {
        name: Judged(
            task=data.task,
            truth=data.y[test],
            output=np.concatenate([np.asarray(outcome.output) for outcome in of_one]),
            scores=_scores(of_one, data.n_classes),
            classes=data.classes,
        )
        for name, of_one in ran.items()
    }
    for name, one in judged.items():
        if one.scores is not None and np.isnan(one.scores).any():
            raise LearnerFailed(f"learner {name!r} gave scores that are not numbers")
    silent = [name for name, one in judged.items() if one.scores is None]
    check_metrics(metrics, data.task, classes=data.classes)
    for i, entry in enumerate(metrics):
        if entry.method.uses == "scores" and silent:
            raise UnsupportedCombination(
                f"{entry.name} needs scores in every split, and learner {silent[0]!r} gave none in "
                "at least one of them",
                loc=("metrics", i),
                value=entry.name,
            )
    return judged


def _gives_scores(learner: Learner) -> bool:
    """Whether probabilities or decision values are to be expected; our own learners give them."""
    return any(getattr(learner, name, True) for name in ("gives_scores", "gives_probabilities"))


def _scores(outcomes: Sequence[SplitOutcome], n_classes: int) -> FloatArray | None:
    """(n,) decision values of two classes, else (n, C) probabilities, if every split has them.

    Decision values come first, as in scikit-learn's own scorers: probabilities that have run into
    0 or 1 tie what they still tell apart.
    """
    if n_classes == 2:
        values = [outcome.scores for outcome in outcomes if outcome.scores is not None]
        if len(values) == len(outcomes):
            return np.concatenate(values)
    rows = [outcome.probabilities for outcome in outcomes if outcome.probabilities is not None]
    return np.concatenate(rows) if len(rows) == len(outcomes) else None
