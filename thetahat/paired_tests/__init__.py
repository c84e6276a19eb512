"""Paired tests, one module each, by wire name."""

from typing import Final

from thetahat.paired_tests.base import PairedTest
from thetahat.registry import Registry

PAIRED_TESTS: Final[Registry[type[PairedTest]]] = Registry.collect(__name__, __path__)
