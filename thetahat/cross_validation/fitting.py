"""Checks that data, learner and loss fit each other, made before any fit."""

from __future__ import annotations

from collections.abc import Mapping

from thetahat.errors import UnsupportedCombination
from thetahat.learners.base import Learner
from thetahat.losses import LOSSES
from thetahat.losses.base import Loss, adapt_to_classes
from thetahat.tables.data import Data


def check_loss(loss: Loss, task: str) -> None:
    """Refuse a loss of another task; the message names the losses of this task."""
    if loss.task not in {None, task}:
        fitting = [name for name in LOSSES if LOSSES[name].task in {None, task}]
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

    Parameters
    ----------
    name : str
        The name of the learner in the request.
    weighted : bool
        Whether the data have weights.
    """
    loc = ("learners", name)
    if task not in learner.tasks:
        others = ", ".join(sorted(learner.tasks))
        raise UnsupportedCombination(
            f"The learner {name!r} ({learner.info.name}) is for {others}, but the task is {task}.",
            loc=loc,
            value=learner.info.name,
        )
    if weighted and not learner.takes_weights:
        raise UnsupportedCombination(
            f"The learner {name!r} ({learner.info.name}) cannot use weights. Leave the weight "
            "column out or choose another learner.",
            loc=loc,
            value=learner.info.name,
        )
    if loss.uses == "probabilities" and not getattr(learner, "gives_probabilities", True):
        raise UnsupportedCombination(
            f"The loss {loss.info.name!r} needs class probabilities, which the learner {name!r} "
            f"({learner.info.name}) does not predict. Choose another loss or learner.",
            loc=loc,
            value=learner.info.name,
        )
    if loss.uses == "scores" and not getattr(learner, "gives_scores", False):
        reason = getattr(learner, "why_no_scores", "")
        raise UnsupportedCombination(
            f"The loss {loss.info.name!r} needs decision values, which the learner {name!r} "
            f"({learner.info.name}) does not compute. {reason}{' ' if reason else ''}Choose "
            "another loss or learner.",
            loc=loc,
            value=learner.info.name,
        )


def learners_without_scores(learners: Mapping[str, Learner]) -> list[str]:
    """Return the learners that predict neither probabilities nor decision values."""
    return [
        name
        for name, learner in learners.items()
        if not any(getattr(learner, flag, True) for flag in ("gives_scores", "gives_probabilities"))
    ]
