"""Importance weights of a source sample for a target sample, one module each, by wire name."""

from typing import Final

from thetahat.importance_weights._diagnostics import Diagnostics, diagnose
from thetahat.importance_weights.base import Samples, Weighing, WeightEstimator
from thetahat.registry import Registry

IMPORTANCE_WEIGHTS: Final[Registry[type[WeightEstimator]]] = Registry.collect(__name__, __path__)


def default_weights() -> str:
    """Return the name of the estimator that a request gets which names none."""
    return IMPORTANCE_WEIGHTS.defaults()[0]


def given_weights() -> str:
    """Return the name of the method that takes the weights which come with the rows."""
    return next(
        name for name, method in IMPORTANCE_WEIGHTS.items() if method.info.weights.are_given
    )


def are_given(name: str) -> bool:
    """Return whether the method of that name takes the weights which come with the rows."""
    return name in IMPORTANCE_WEIGHTS and IMPORTANCE_WEIGHTS[name].info.weights.are_given


__all__ = [
    "IMPORTANCE_WEIGHTS",
    "Diagnostics",
    "Samples",
    "Weighing",
    "WeightEstimator",
    "are_given",
    "default_weights",
    "diagnose",
    "given_weights",
]
