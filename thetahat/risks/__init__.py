"""Importance-weighted risk estimators, one module each, by wire name."""

from typing import Final

from thetahat.registry import Registry
from thetahat.risks._differences import RiskDifference, by_source, paired_difference
from thetahat.risks.base import RiskEstimator

RISKS: Final[Registry[type[RiskEstimator]]] = Registry.collect(__name__, __path__)

__all__ = ["RISKS", "RiskDifference", "RiskEstimator", "by_source", "paired_difference"]
