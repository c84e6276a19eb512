"""The task that learners serve, where a call does not name it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.learners import LEARNERS
from thetahat.pipelines.allowed_classes import get_learner_tasks
from thetahat.tables.data import CLASSIFICATION, REGRESSION, TASKS

_TASK_OF_TYPE: Final = {"classifier": CLASSIFICATION, "regressor": REGRESSION}
"""By what scikit-learn calls the type of an estimator."""


def tell_task(learners: Mapping[str, Any]) -> str:
    """Return the one task that all learners serve.

    Parameters
    ----------
    learners : mapping
        By name: names of learners, mappings with a name, learners, or estimators with the
        interface of scikit-learn.

    Raises
    ------
    UnsupportedCombination
        A learner is for classification alone, and another for regression alone.
    InvalidParameter
        Every learner may serve both tasks.
    """
    only: dict[str, str] = {}
    for name, choice in learners.items():
        tasks = _list_tasks(choice)
        if len(tasks) == 1:
            only.setdefault(next(iter(tasks)), name)
    if len(only) > 1:
        raise UnsupportedCombination(
            f"The learner {only[CLASSIFICATION]!r} is for classification, and {only[REGRESSION]!r} "
            "for regression. Learners that are compared serve one task.",
            loc=("learners",),
        )
    if not only:
        raise InvalidParameter(
            "The learners do not tell the task. Name it: task='classification' or "
            "task='regression'.",
            loc=("task",),
        )
    return next(iter(only))


def _list_tasks(choice: Any) -> frozenset[str]:
    """Return the tasks that a learner may serve; both where that is not known."""
    name = choice.get("name") if isinstance(choice, Mapping) else choice
    if isinstance(name, str):
        known = LEARNERS[name].tasks if name in LEARNERS else get_learner_tasks(name)
        return known or frozenset(TASKS)
    if hasattr(choice, "tasks"):
        return frozenset(choice.tasks)
    get_tags = getattr(choice, "__sklearn_tags__", None)
    if get_tags is not None and not isinstance(choice, type):
        estimator_type = get_tags().estimator_type
    else:
        estimator_type = getattr(choice, "_estimator_type", None)
    task = _TASK_OF_TYPE.get(estimator_type)
    return frozenset(TASKS) if task is None else frozenset({task})
