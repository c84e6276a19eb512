"""Statistics of a sample that can be resampled, one module each, by wire name."""

from typing import Final

from thetahat.registry import Registry
from thetahat.statistics._moments import SumsFunctional
from thetahat.statistics.base import Functional, FunctionalOfKinds, Sample, Statistic

STATISTICS: Final[Registry[type[Statistic]]] = Registry.collect(__name__, __path__)

__all__ = ["STATISTICS", "Functional", "FunctionalOfKinds", "Sample", "Statistic", "SumsFunctional"]
