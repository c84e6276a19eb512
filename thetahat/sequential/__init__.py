"""Methods for looking again and again while rows arrive, one module each, by wire name."""

from typing import Final

from thetahat.registry import Registry
from thetahat.sequential.base import LookOutcome, SequentialMethod, SequentialQuestion

SEQUENTIAL_METHODS: Final[Registry[type[SequentialMethod]]] = Registry.collect(__name__, __path__)

__all__ = ["SEQUENTIAL_METHODS", "LookOutcome", "SequentialMethod", "SequentialQuestion"]
