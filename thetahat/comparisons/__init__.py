"""Paired tests, one module each, by wire name."""

from typing import Final

from thetahat.comparisons.base import PairedTest
from thetahat.registry import Registry

TESTS: Final[Registry[type[PairedTest]]] = Registry.collect(__name__, __path__)
