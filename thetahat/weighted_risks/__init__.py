"""Importance-weighted risk estimators, one module each, by wire name."""

from typing import Final

from thetahat.registry import Registry
from thetahat.weighted_risks._differences import (
    RiskDifference,
    average_by_source,
    estimate_paired_difference,
)
from thetahat.weighted_risks.base import RiskEstimator
from thetahat.weighted_risks.controlled import Controlled
from thetahat.weighted_risks.weighted import Weighted

WEIGHTED_RISKS: Final[Registry[type[RiskEstimator]]] = Registry.collect(__name__, __path__)

DEFAULT_RISKS: Final = (Weighted.info.name, Controlled.info.name)
"""The default estimators of a selection under covariate shift."""

__all__ = [
    "DEFAULT_RISKS",
    "WEIGHTED_RISKS",
    "RiskDifference",
    "RiskEstimator",
    "average_by_source",
    "estimate_paired_difference",
]
