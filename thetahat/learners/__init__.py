"""Learners, one module each, by wire name."""

from typing import Final

from thetahat.learners.base import Learner
from thetahat.registry import Registry

LEARNERS: Final[Registry[type[Learner]]] = Registry.collect(__name__, __path__)
