"""Importance weights of a source sample for a target sample, one module each, by wire name."""

from typing import Final

from thetahat.importance_weights._diagnostics import Diagnostics, diagnose
from thetahat.importance_weights.base import ImportanceWeights, Samples, WeightEstimator
from thetahat.registry import Registry

IMPORTANCE_WEIGHTS: Final[Registry[type[WeightEstimator]]] = Registry.collect(__name__, __path__)


def get_default_weights() -> str:
    """Return the name of the default estimator."""
    return IMPORTANCE_WEIGHTS.defaults()[0]


def get_known_weights_method() -> str:
    """Return the name of the method that uses the weight column of the source rows."""
    return next(
        name for name, method in IMPORTANCE_WEIGHTS.items() if method.info.weights.are_supplied
    )


def uses_known_weights(name: str) -> bool:
    """Return whether the method of that name uses the weight column of the source rows."""
    return name in IMPORTANCE_WEIGHTS and IMPORTANCE_WEIGHTS[name].info.weights.are_supplied


__all__ = [
    "IMPORTANCE_WEIGHTS",
    "Diagnostics",
    "ImportanceWeights",
    "Samples",
    "WeightEstimator",
    "diagnose",
    "get_default_weights",
    "get_known_weights_method",
    "uses_known_weights",
]
