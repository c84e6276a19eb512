"""Pointwise losses, one module each, by wire name."""

from typing import Final

from thetahat.losses.base import Loss
from thetahat.registry import Registry

LOSSES: Final[Registry[type[Loss]]] = Registry.collect(__name__, __path__)
