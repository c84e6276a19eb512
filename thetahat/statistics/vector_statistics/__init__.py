"""Statistics with several components, one module each, by wire name."""

from typing import Any, Final

from thetahat.registry import Registry
from thetahat.statistics import STATISTICS
from thetahat.statistics.vector_statistics.base import (
    ComponentsFunctional,
    VectorSample,
    VectorStatistic,
)

VECTOR_STATISTICS: Final[Registry[type[VectorStatistic]]] = Registry.collect(__name__, __path__)

EVERY_STATISTIC: Final[Registry[type[Any]]] = Registry(
    STATISTICS.family, STATISTICS, VECTOR_STATISTICS
)
"""Statistics with one value and with several."""

__all__ = [
    "EVERY_STATISTIC",
    "VECTOR_STATISTICS",
    "ComponentsFunctional",
    "VectorSample",
    "VectorStatistic",
]
