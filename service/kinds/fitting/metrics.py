"""Metrics of learners that the service fits: what can be refused early, and what they look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from uuid import UUID

from service.kinds.base import DatasetFile
from service.kinds.cross_validation.plan import learners_of, loss_of
from service.kinds.fields.data import read_data
from service.kinds.fields.metrics import Metrics, check_metrics
from thetahat.analyses.metrics.predictions import judged_from
from thetahat.cross_validation import SplitOutcome
from thetahat.errors import UnsupportedCombination
from thetahat.learners.base import Learner
from thetahat.metrics.base import Judged
from thetahat.tables.data import Data

if TYPE_CHECKING:
    from service.kinds.fields.learners import LearnersRequest


def check_learners(
    metrics: Metrics, given: LearnersRequest, datasets: Mapping[UUID, DatasetFile]
) -> None:
    """Refuse metrics that do not fit the task, the learners or the classes; nothing is fitted."""
    if not metrics:
        return
    learners = learners_of(given, loss_of(given))
    classes = None
    if given.dataset is None and given.task == "classification":
        classes = read_data(given, datasets).classes
    check_metrics(metrics, given.task, classes=classes, without_scores=silent_of(learners))


def silent_of(learners: Mapping[str, Learner]) -> list[str]:
    """Return the learners that give neither probabilities nor decision values; our own do."""
    return [
        name
        for name, learner in learners.items()
        if not any(getattr(learner, one, True) for one in ("gives_scores", "gives_probabilities"))
    ]


def check_given(metrics: Metrics, outcomes: Sequence[SplitOutcome], data: Data, name: str) -> None:
    """Refuse what a learner said of some splits where a metric has nothing to look at."""
    if not len(outcomes) or not any(entry.method.uses == "scores" for entry in metrics):
        return
    if judged_from(outcomes, data, name).scores is None:
        first = next(entry for entry in metrics if entry.method.uses == "scores")
        raise UnsupportedCombination(
            f"{first.name} needs scores, and learner {name!r} gave none", loc=("metrics",)
        )


def judged_of(
    metrics: Metrics, data: Data, ran: Mapping[str, Sequence[SplitOutcome]]
) -> dict[str, Judged]:
    """Return what the metrics look at, by learner: rows split by split, as in the loss table."""
    if not metrics:
        return {}
    judged = {name: judged_from(of_one, data, name) for name, of_one in ran.items()}
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
