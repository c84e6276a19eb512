"""Importance-weighted risk estimators, one module each, by wire name."""

from typing import Final

from thetahat.registry import Registry
from thetahat.risks.base import RiskEstimator

RISKS: Final[Registry[type[RiskEstimator]]] = Registry.collect(__name__, __path__)
