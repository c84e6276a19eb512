"""Interval methods, one module each, by wire name."""

from typing import Final

from thetahat.intervals.base import IntervalMethod
from thetahat.registry import Registry

INTERVALS: Final[Registry[type[IntervalMethod]]] = Registry.collect(__name__, __path__)
