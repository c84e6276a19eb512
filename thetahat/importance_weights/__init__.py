"""Importance weights of a source sample for a target sample, one module each, by wire name."""

from typing import Final

from thetahat.importance_weights._diagnostics import Diagnostics, diagnose
from thetahat.importance_weights.base import Samples, Weighing, WeightEstimator
from thetahat.registry import Registry

IMPORTANCE_WEIGHTS: Final[Registry[type[WeightEstimator]]] = Registry.collect(__name__, __path__)

__all__ = ["WEIGHTS", "Diagnostics", "Samples", "Weighing", "WeightEstimator", "diagnose"]
