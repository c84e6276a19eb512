"""Pointwise losses, one module each, by wire name."""

from typing import Final

from thetahat.losses.base import Loss
from thetahat.registry import Registry

LOSSES: Final[Registry[type[Loss]]] = Registry.collect(__name__, __path__)


def get_default_loss(task: str) -> str:
    """Return the name of the default loss of a task."""
    return next(name for name in LOSSES.defaults() if LOSSES[name].task == task)


def get_least_squares_loss(task: str) -> str:
    """Return the name of the loss that a learner fitted by least squares minimises."""
    return next(
        name
        for name, loss in LOSSES.items()
        if loss.task == task and loss.info.loss.of_least_squares
    )
