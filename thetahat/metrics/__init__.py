"""Metrics that are not averages of pointwise losses, one module each, by wire name."""

from typing import Final

from thetahat.metrics.base import Metric
from thetahat.registry import Registry

METRICS: Final[Registry[type[Metric]]] = Registry.collect(__name__, __path__)
