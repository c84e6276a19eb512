"""Checks that data, learner and loss fit each other, made before any fit."""

from __future__ import annotations

from collections.abc import Mapping

from thetahat.errors import UnsupportedCombination
from thetahat.learners.base import Learner
from thetahat.losses import LOSSES
from thetahat.losses._regions import OF_REGIONS
from thetahat.losses.base import Loss, adapt_to_classes
from thetahat.tables.data import Data


def check_loss(loss: Loss, task: str) -> None:
    """Refuse a loss of another task; the message names the losses of this task."""
    fitting = [
        name
        for name in LOSSES
        if LOSSES[name].task in {None, task} and LOSSES[name].uses not in OF_REGIONS
    ]
    if loss.uses in OF_REGIONS:
        raise UnsupportedCombination(
            f"The loss {loss.info.name!r} is of prediction sets or limits, which learners here do "
            "not predict. Send them as predictions (kind predictions), or choose one of "
            f"{', '.join(fitting)}.",
            loc=("loss",),
            value=loss.info.name,
        )
    if loss.task not in {None, task}:
        raise UnsupportedCombination(
            f"The loss {loss.info.name!r} is for {loss.task}, but the task is {task}. Choose one "
            f"of {', '.join(fitting)}.",
            loc=("loss",),
            value=loss.info.name,
        )


def check_target(loss: Loss, data: Data) -> Loss:
    """Return the loss, set up for the classes of the data; refuse targets that it cannot use."""
    check = getattr(loss, "check_truth", None)
    if check is not None:
        check(data.y)
    return adapt_to_classes(loss, data.classes)


def check_learner(name: str, learner: Learner, task: str, loss: Loss, *, weighted: bool) -> None:
    """Refuse a learner of another task, or one that cannot serve the loss or the weights.

    ``name`` is the name of the learner in the request, and ``weighted`` says whether the data have
    weights.
    """
    problem = _find_problem(name, learner, task, loss, weighted=weighted)
    if problem is not None:
        raise UnsupportedCombination(problem, loc=("learners", name), value=learner.info.name)


def _find_problem(
    name: str, learner: Learner, task: str, loss: Loss, *, weighted: bool
) -> str | None:
    """Return why the learner cannot be used, as one or more sentences, or None."""
    title = f"learner {name!r} ({learner.info.name})"
    if task not in learner.tasks:
        return f"The {title} is for {', '.join(sorted(learner.tasks))}, but the task is {task}."
    if weighted and not learner.takes_weights:
        return (
            f"The {title} cannot use weights. Leave the weight column out or choose another "
            "learner."
        )
    if loss.uses == "probabilities" and not getattr(learner, "gives_probabilities", True):
        return (
            f"The loss {loss.info.name!r} needs class probabilities, which the {title} does not "
            "predict. Choose another loss or learner."
        )
    if loss.uses == "scores" and not getattr(learner, "gives_scores", False):
        reason = getattr(learner, "why_no_scores", "")
        return (
            f"The loss {loss.info.name!r} needs decision values, which the {title} does not "
            f"compute. {reason}{' ' if reason else ''}Choose another loss or learner."
        )
    return None


def learners_without_scores(learners: Mapping[str, Learner]) -> list[str]:
    """Return the learners that predict neither probabilities nor decision values."""
    return [
        name
        for name, learner in learners.items()
        if not any(getattr(learner, flag, True) for flag in ("gives_scores", "gives_probabilities"))
    ]
