"""Importance-weighted risk estimators, one module each, by wire name."""

from typing import Final

from thetahat.registry import Registry
from thetahat.weighted_risks._differences import RiskDifference, by_source, paired_difference
from thetahat.weighted_risks.base import RiskEstimator

WEIGHTED_RISKS: Final[Registry[type[RiskEstimator]]] = Registry.collect(__name__, __path__)

__all__ = ["RISKS", "RiskDifference", "RiskEstimator", "by_source", "paired_difference"]
