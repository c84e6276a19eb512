"""Variance estimators, one module each, by wire name."""

from typing import Final

from thetahat.registry import Registry
from thetahat.variances.base import VarianceEstimator

VARIANCES: Final[Registry[type[VarianceEstimator]]] = Registry.collect(__name__, __path__)
