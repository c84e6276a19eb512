"""Tests of many models at once, one module each, by wire name."""

from typing import Final

from thetahat.multiple_tests.base import OmnibusTest
from thetahat.registry import Registry

MULTIPLE_TESTS: Final[Registry[type[OmnibusTest]]] = Registry.collect(__name__, __path__)
