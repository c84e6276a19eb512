"""A learner from an object with scikit-learn's interface, for scripts that have such an object."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, TypeGuard

import numpy as np

from thetahat.pipelines.estimator_learner import EstimatorLearner
from thetahat.registry import MethodInfo
from thetahat.seeds import draw_random_state
from thetahat.values.types import Label

_RANDOM_STATE: Final = "random_state"


class Estimator(Protocol):
    """An object with scikit-learn's interface."""

    def fit(self, X: Any, y: Any) -> Any:
        """Fit to (n, p) features and (n,) labels or values."""
        ...

    def predict(self, X: Any) -> Any:
        """Return (n,) labels or values."""
        ...


def is_estimator(candidate: object) -> TypeGuard[Estimator]:
    """Return whether an object, not a class, has the methods ``fit`` and ``predict``."""
    if isinstance(candidate, type):
        return False
    return all(callable(getattr(candidate, name, None)) for name in ("fit", "predict"))


@dataclass(frozen=True, slots=True, eq=False)
class EstimatorObject(EstimatorLearner):
    """An estimator of the caller, of which a copy is fitted to every training part.

    The copies get the labels of the classes as they are in the data, and the numeric features as a
    matrix. A parameter ``random_state`` that is None, also one of a step inside a pipeline, is
    drawn from the random stream of the fit, so that the seed decides all numbers.

    Source: pedregosa2011.
    """

    estimator: Any
    """An object with ``fit(X, y)`` and ``predict(X)``; it is copied and never fitted itself."""
    task: str
    """``classification`` or ``regression``."""
    classes: tuple[Label, ...] = ()
    """Classes in the order of their codes."""

    @property
    def info(self) -> MethodInfo:
        """The name of its class."""
        name = type(self.estimator).__name__
        return MethodInfo(
            name=name,
            title=name,
            summary=f"The caller's {name}.",
            references=("pedregosa2011",),
        )

    def for_classes(self, classes: tuple[Label, ...]) -> EstimatorObject:
        """Return the learner with the labels of the classes."""
        return replace(self, classes=classes)

    def get_unfitted(self) -> Any:
        """Return the estimator of the caller."""
        return self.estimator

    def build(self, rng: np.random.Generator) -> Any:
        """Return a copy whose random numbers come from ``rng``."""
        return _copy_unfitted(self.estimator, rng)

    def list_classes(self, n_classes: int) -> tuple[Label, ...]:
        """Return the labels."""
        del n_classes
        return self.classes


def _copy_unfitted(estimator: Any, rng: np.random.Generator) -> Any:
    """Return an unfitted copy whose random numbers come from ``rng``."""
    if not (hasattr(estimator, "get_params") and hasattr(estimator, "set_params")):
        return copy.deepcopy(estimator)
    from sklearn.base import clone  # noqa: PLC0415 - loaded late

    unfitted = clone(estimator)
    params: Mapping[str, object] = unfitted.get_params()
    for name in sorted(params):
        if name.rpartition("__")[2] == _RANDOM_STATE and params[name] is None:
            unfitted.set_params(**{name: draw_random_state(rng)})
    return unfitted
