"""A learner from an object with scikit-learn's interface, for scripts that have such an object."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeGuard

import numpy as np

from thetahat.cautions import Caution
from thetahat.errors import InsufficientData, LearnerFailed, UnsupportedCombination
from thetahat.losses.base import Predictions
from thetahat.pipelines.scikit_learner import AcceptedInput, build_matrix
from thetahat.pipelines.third_party_calls import catch_failures
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray, IntArray, Label

if TYPE_CHECKING:
    from thetahat.tables.sparse import CsrMatrix

_MAX_RANDOM_STATE: Final = 2**32 - 1
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
class FittedObject:
    """A fitted copy of the caller's estimator.

    Parameters
    ----------
    estimator : Any
        The fitted copy.
    classes : tuple of label
        Classes of all of the data, in the order of their codes; empty for a regression.
    accepted : AcceptedInput
        Whether it accepts missing values and sparse matrices.
    cautions : tuple of Caution
        Warnings raised while it was fitted, such as ``not_converged``.
    """

    estimator: Any
    classes: tuple[Label, ...]
    accepted: AcceptedInput
    cautions: tuple[Caution, ...] = ()

    @property
    def _name(self) -> str:
        return type(self.estimator).__name__

    def predict(self, features: Features) -> Predictions:
        """Predict class codes (with probabilities and scores where available) or values."""
        X = build_matrix(features, self.accepted)
        # Warnings at prediction repeat those of the fit, so they are dropped.
        with catch_failures(self._name, []):
            output = np.asarray(self.estimator.predict(X)).reshape(features.n)
            if not self.classes:
                return Predictions(output.astype(np.float64))
            # The classes that the copy has seen; some estimators do not list them.
            seen = getattr(self.estimator, "classes_", None)
            known = None if seen is None else self._find_codes(seen)
            return Predictions(
                self._find_codes(output),
                self._predict_probabilities(X, known),
                self._predict_scores(X, known),
                tuple(range(len(self.classes))),
            )

    def _find_codes(self, labels: Sequence[Label] | np.ndarray) -> IntArray:
        codes = {label: code for code, label in enumerate(self.classes)}
        for label in labels:
            if label not in codes:
                raise LearnerFailed(f"{self._name} predicted {str(label)!r}, which is not a class.")
        return np.array([codes[label] for label in labels], dtype=np.intp)

    def _predict_probabilities(
        self, X: FloatArray | CsrMatrix, known: IntArray | None
    ) -> FloatArray | None:
        """Return (n, n_classes) probabilities, 0 for classes absent from the training part."""
        if known is None or not hasattr(self.estimator, "predict_proba"):
            return None
        by_known_class = np.asarray(self.estimator.predict_proba(X), dtype=np.float64)
        probabilities = np.zeros((len(by_known_class), len(self.classes)))
        probabilities[:, known] = by_known_class
        return probabilities

    def _predict_scores(
        self, X: FloatArray | CsrMatrix, known: IntArray | None
    ) -> FloatArray | None:
        """Return (n,) decision values of class 1; None unless data and training part have two."""
        if known is None or not len(self.classes) == len(known) == 2:
            return None
        if not hasattr(self.estimator, "decision_function"):
            return None
        values = np.asarray(self.estimator.decision_function(X), dtype=np.float64)
        return values if known[1] == 1 else -values


@dataclass(frozen=True, slots=True, eq=False)
class EstimatorObject:
    """An estimator of the caller, of which a copy is fitted to every training part.

    The copies get the labels of the classes as they are in the data, and the numeric features as a
    matrix. A parameter ``random_state`` that is None, also one of a step inside a pipeline, is
    drawn from the random stream of the fit, so that the seed decides all numbers.

    Parameters
    ----------
    estimator : Any
        An object with ``fit(X, y)`` and ``predict(X)``; it is copied and never fitted itself.
    task : str
        ``classification`` or ``regression``.
    classes : tuple of label
        Classes in the order of their codes.

    Source: pedregosa2011.
    """

    estimator: Any
    task: str
    classes: tuple[Label, ...] = ()

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

    @property
    def tasks(self) -> frozenset[str]:
        """The task of the evaluation: an object does not say which tasks it has."""
        return frozenset({self.task})

    @property
    def takes_weights(self) -> bool:
        """Whether its ``fit`` accepts ``sample_weight``."""
        return "sample_weight" in inspect.signature(self.estimator.fit).parameters

    @property
    def gives_probabilities(self) -> bool:
        """Whether its predictions include class probabilities; known before a fit."""
        return self.task == "classification" and hasattr(self.estimator, "predict_proba")

    @property
    def gives_scores(self) -> bool:
        """Whether its predictions for two classes include decision values."""
        return self.task == "classification" and hasattr(self.estimator, "decision_function")

    def for_classes(self, classes: tuple[Label, ...]) -> EstimatorObject:
        """Return the learner with the labels of the classes."""
        return replace(self, classes=classes)

    def fit(
        self,
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        rng: np.random.Generator,
        n_classes: int,
    ) -> FittedObject:
        """Fit a copy on the training part; (n,) codes or values ``y``, (n,) ``weights``."""
        name = self.info.name
        if weights is not None and not self.takes_weights:
            raise UnsupportedCombination(
                f"{name} takes no weights for its instances.", loc=("weights",)
            )
        accepted = _read_accepted_input(self.estimator)
        X = build_matrix(features, accepted)
        target = np.array(self.classes)[y] if n_classes else y
        weighting = {} if weights is None else {"sample_weight": weights}
        cautions: list[Caution] = []
        try:
            with catch_failures(name, cautions):
                fitted = _copy_unfitted(self.estimator, rng)
                fitted.fit(X, target, **weighting)
        except LearnerFailed as error:
            if n_classes and len(np.unique(y)) < 2:
                raise InsufficientData(
                    f"The training part has one class only, and {name} needs two."
                ) from error
            raise
        return FittedObject(fitted, self.classes, accepted, tuple(cautions))


def _read_accepted_input(estimator: Any) -> AcceptedInput:
    """Return what the estimator says it accepts; nothing special where it does not say."""
    if not hasattr(estimator, "__sklearn_tags__"):
        return AcceptedInput(missing_values=False, sparse=False)
    from sklearn.utils import get_tags  # noqa: PLC0415 - loaded late

    tags = get_tags(estimator).input_tags
    return AcceptedInput(bool(tags.allow_nan), bool(tags.sparse))


def _copy_unfitted(estimator: Any, rng: np.random.Generator) -> Any:
    """Return an unfitted copy whose random numbers come from ``rng``."""
    if not (hasattr(estimator, "get_params") and hasattr(estimator, "set_params")):
        return copy.deepcopy(estimator)
    from sklearn.base import clone  # noqa: PLC0415 - loaded late

    unfitted = clone(estimator)
    params: Mapping[str, object] = unfitted.get_params()
    for name in sorted(params):
        if name.rpartition("__")[2] == _RANDOM_STATE and params[name] is None:
            unfitted.set_params(**{name: int(rng.integers(_MAX_RANDOM_STATE))})
    return unfitted
