"""The task, where a call or a request does not name it: by the learners, else by the target."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from thetahat.cautions import TASK_BY_TARGET, Caution
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.learners import LEARNERS
from thetahat.pipelines.allowed_classes import get_learner_tasks
from thetahat.tables.column_profiles import ColumnProfile
from thetahat.tables.data import CLASSIFICATION, REGRESSION, TASKS
from thetahat.tables.target_tasks import propose_task

_TASK_OF_TYPE: Final = {"classifier": CLASSIFICATION, "regressor": REGRESSION}
"""By what scikit-learn calls the type of an estimator."""


@dataclass(frozen=True, slots=True)
class DecidedTask:
    """The task of learners and data."""

    task: str
    """``classification`` or ``regression``."""
    cautions: tuple[Caution, ...] = ()
    """That the values of the target decided it, if they did."""


def decide_task(
    learners: Mapping[str, Any], profile_target: Callable[[], ColumnProfile]
) -> DecidedTask:
    """Return the one task that all learners serve, or the one that the target's values show.

    Parameters
    ----------
    learners : mapping
        By name: names of learners, mappings with a name, learners, or estimators with the
        interface of scikit-learn.
    profile_target : callable
        Returns what the target contains; called if all learners may serve both tasks.

    Raises
    ------
    UnsupportedCombination
        A learner is for classification alone, and another for regression alone.
    InvalidParameter
        Every learner may serve both tasks, and so may the target.
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
    if only:
        return DecidedTask(next(iter(only)))
    target = profile_target()
    found = propose_task(target)
    if found.task is None:
        raise InvalidParameter(
            f"The task is not clear: the learners may serve both, and the target {target.name!r} "
            f"{found.reason}. Set task to 'classification' or 'regression'.",
            loc=("task",),
        )
    caution = TASK_BY_TARGET(task=found.task, target=target.name, reason=found.reason)
    return DecidedTask(found.task, (caution,))


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
