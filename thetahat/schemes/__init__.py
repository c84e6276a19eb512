"""Resampling schemes, one module each, by wire name."""

from typing import Final

from thetahat.registry import Registry
from thetahat.schemes.base import Scheme

SCHEMES: Final[Registry[type[Scheme]]] = Registry.collect(__name__, __path__)
