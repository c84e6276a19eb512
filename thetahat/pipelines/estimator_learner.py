"""Estimators with scikit-learn's interface as learners."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from thetahat.cautions import Caution
from thetahat.errors import InsufficientData, LearnerFailed, UnsupportedCombination
from thetahat.losses.base import Predictions
from thetahat.pipelines.third_party_calls import catch_failures
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray, IntArray, Label

if TYPE_CHECKING:
    from thetahat.tables.sparse import CsrMatrix

JOINT_LOG_PROBABILITIES: Final = "predict_joint_log_proba"


@dataclass(frozen=True, slots=True)
class AcceptedInput:
    """Whether an estimator accepts missing values and sparse matrices."""

    missing_values: bool
    sparse: bool


@dataclass(frozen=True, slots=True, eq=False)
class FittedEstimator:
    """A fitted estimator."""

    estimator: Any
    """The fitted estimator."""
    classes: tuple[Label, ...]
    """The classes of all of the data as the estimator knows them, in the order of their codes;
    empty for a regression."""
    accepted: AcceptedInput
    """Whether it accepts missing values and sparse matrices."""
    score_methods: tuple[str, ...]
    """The methods that compute decision values; the first that it has is used."""
    cautions: tuple[Caution, ...] = ()
    """Warnings raised while it was fitted, such as ``not_converged``."""

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
            # The classes of the training part; some estimators do not list them.
            seen = getattr(self.estimator, "classes_", None)
            known = None if seen is None else self._find_codes(seen)
            return Predictions(
                self._find_codes(output),
                None if known is None else self._predict_probabilities(X, known),
                None if known is None else self._predict_scores(X, known),
                tuple(range(len(self.classes))),
            )

    def _find_codes(self, labels: Iterable[Any]) -> IntArray:
        codes = {label: code for code, label in enumerate(self.classes)}
        values = labels.tolist() if isinstance(labels, np.ndarray) else labels
        try:
            return np.array([codes[label] for label in values], dtype=np.intp)
        except KeyError as error:
            (label,) = error.args
            raise LearnerFailed(
                f"{self._name} predicted {str(label)!r}, which is not a class."
            ) from error

    def _predict_probabilities(
        self, X: FloatArray | CsrMatrix, known: IntArray
    ) -> FloatArray | None:
        """Return (n, n_classes) probabilities, 0 for classes absent from the training part."""
        if not hasattr(self.estimator, "predict_proba"):
            return None
        by_known_class = np.asarray(self.estimator.predict_proba(X), dtype=np.float64)
        probabilities = np.zeros((len(by_known_class), len(self.classes)))
        probabilities[:, known] = by_known_class
        return probabilities

    def _predict_scores(self, X: FloatArray | CsrMatrix, known: IntArray) -> FloatArray | None:
        """Return (n,) decision values of class 1; None unless data and training part have two.

        Where joint log probabilities are used, they are the log odds.
        """
        method = next((m for m in self.score_methods if hasattr(self.estimator, m)), None)
        if method is None or not len(self.classes) == len(known) == 2:
            return None
        values = np.asarray(getattr(self.estimator, method)(X), dtype=np.float64)
        if method == JOINT_LOG_PROBABILITIES:
            values = values[:, 1] - values[:, 0]
            if not np.isfinite(values).all():
                return None
        return values if known[1] == 1 else -values


def build_matrix(features: Features, accepted: AcceptedInput) -> FloatArray | CsrMatrix:
    """Return (n, p) numeric features, sparse or with missing values only if these are accepted.

    A dense matrix is a copy: estimators may change it, such as those with ``copy_X=False``.
    """
    if features.wide and accepted.sparse:
        return features.sparse_matrix()
    if accepted.missing_values:
        return features.matrix(copy=True)
    return features.complete_matrix(copy=True)


class EstimatorLearner(ABC):
    """A learner that fits an estimator with scikit-learn's interface to every training part."""

    __slots__ = ()
    task: str
    score_methods: ClassVar[tuple[str, ...]] = ("decision_function",)

    @property
    @abstractmethod
    def info(self) -> MethodInfo:
        """Name and title of the estimator."""

    @abstractmethod
    def get_unfitted(self) -> Any:
        """Return an estimator that shows which methods it has."""

    @abstractmethod
    def build(self, rng: np.random.Generator) -> Any:
        """Return an unfitted estimator whose random numbers come from ``rng``."""

    @abstractmethod
    def list_classes(self, n_classes: int) -> tuple[Label, ...]:
        """Return the classes of all of the data as the estimator gets them."""

    @property
    def tasks(self) -> frozenset[str]:
        """The task it was built for."""
        return frozenset({self.task})

    @property
    def takes_weights(self) -> bool:
        """Whether its ``fit`` accepts ``sample_weight``."""
        return "sample_weight" in inspect.signature(self.get_unfitted().fit).parameters

    @property
    def gives_probabilities(self) -> bool:
        """Whether its predictions include class probabilities; known before a fit."""
        return self.task == "classification" and hasattr(self.get_unfitted(), "predict_proba")

    @property
    def gives_scores(self) -> bool:
        """Whether its predictions for two classes include decision values."""
        unfitted = self.get_unfitted()
        return self.task == "classification" and any(
            hasattr(unfitted, method) for method in self.score_methods
        )

    @property
    def accepted(self) -> AcceptedInput:
        """Whether the estimator says that it accepts missing values and sparse matrices."""
        unfitted = self.get_unfitted()
        if not hasattr(unfitted, "__sklearn_tags__"):
            return AcceptedInput(missing_values=False, sparse=False)
        from sklearn.utils import get_tags  # noqa: PLC0415 - loaded late

        tags = get_tags(unfitted).input_tags
        return AcceptedInput(bool(tags.allow_nan), bool(tags.sparse))

    def fit(
        self,
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        rng: np.random.Generator,
        n_classes: int,
    ) -> FittedEstimator:
        """Fit on the training part; (n,) codes or values ``y``, (n,) ``weights``."""
        name = self.info.name
        if weights is not None and not self.takes_weights:
            raise UnsupportedCombination(
                f"{name} takes no weights for its instances.", loc=("weights",)
            )
        accepted, classes = self.accepted, self.list_classes(n_classes)
        X = build_matrix(features, accepted)
        target = np.array(classes)[y] if n_classes else y
        weighting = {} if weights is None else {"sample_weight": weights}
        cautions: list[Caution] = []
        has_one_class = n_classes > 0 and len(np.unique(y)) < 2
        try:
            with catch_failures(name, cautions):
                estimator = self.build(rng)
                estimator.fit(X, target, **weighting)
            fitted = FittedEstimator(
                estimator, classes, accepted, self.score_methods, tuple(cautions)
            )
            # Some estimators take one class at the fit and fail on it when they predict.
            if has_one_class:
                fitted.predict(features.rows(np.arange(1)))
        except LearnerFailed as error:
            if has_one_class:
                raise InsufficientData(
                    f"The training part has one class only, and {name} needs two."
                ) from error
            raise
        return fitted
