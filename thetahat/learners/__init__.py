"""Learners, one module each, by wire name."""

from typing import Final

from thetahat.learners.base import Learner
from thetahat.registry import Registry

LEARNERS: Final[Registry[type[Learner]]] = Registry.collect(__name__, __path__)


def penalised_least_squares() -> str:
    """Return the name of the learner that is penalised least squares."""
    return next(name for name in LEARNERS if is_penalised_least_squares(name))


def is_penalised_least_squares(name: str) -> bool:
    """Return whether the learner of that name is penalised least squares."""
    return name in LEARNERS and LEARNERS[name].info.learner.is_penalised_least_squares
