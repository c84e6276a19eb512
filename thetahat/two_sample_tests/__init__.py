"""Tests of two independent samples, one module each, by wire name."""

from typing import Final

from thetahat.registry import Registry
from thetahat.two_sample_tests.base import TwoSampleOutcome, TwoSampleTest

TWO_SAMPLE_TESTS: Final[Registry[type[TwoSampleTest]]] = Registry.collect(__name__, __path__)

__all__ = ["TWO_SAMPLE_TESTS", "TwoSampleOutcome", "TwoSampleTest"]
