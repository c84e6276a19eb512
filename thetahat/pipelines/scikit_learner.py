"""A scikit-learn classifier or regressor as a learner."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from thetahat.cautions import Caution
from thetahat.errors import (
    InsufficientData,
    InvalidParameter,
    LearnerFailed,
    UnsupportedCombination,
)
from thetahat.losses.base import Predictions
from thetahat.pipelines.allowed_classes import load_class, make_title
from thetahat.pipelines.estimators import EstimatorParams, build_estimator
from thetahat.pipelines.parameter_limits import BY_LABEL
from thetahat.pipelines.third_party_calls import catch_failures
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.tables.labels import make_label_key, normalise_label_key
from thetahat.values.types import FloatArray, Label

if TYPE_CHECKING:
    from thetahat.tables.sparse import CsrMatrix


@dataclass(frozen=True, slots=True)
class AcceptedInput:
    """Whether an estimator accepts missing values and sparse matrices."""

    missing_values: bool
    sparse: bool


@dataclass(frozen=True, slots=True, eq=False)
class FittedEstimator:
    """A fitted scikit-learn estimator.

    Parameters
    ----------
    name : str
        Class name.
    estimator : Any
        The fitted estimator.
    n_classes : int
        Classes in all of the data; 0 for regression.
    takes : Takes
        Which features it copes with by itself.
    cautions : tuple of Caution
        Warnings raised while it was fitted, such as ``not_converged``.
    """

    name: str
    estimator: Any
    n_classes: int
    accepted: AcceptedInput
    cautions: tuple[Caution, ...] = ()

    def predict(self, features: Features) -> Predictions:
        """Predict class codes (with probabilities and scores where available) or values."""
        X = build_matrix(features, self.accepted)
        # Warnings at prediction repeat those of the fit, so they are dropped.
        with catch_failures(self.name, []):
            output = np.asarray(self.estimator.predict(X)).reshape(features.n)
            if self.n_classes == 0:
                return Predictions(output.astype(np.float64))
            return Predictions(
                output.astype(np.intp),
                self._predict_probabilities(X),
                self._predict_scores(X),
                tuple(range(self.n_classes)),
            )

    def _predict_probabilities(self, X: FloatArray | CsrMatrix) -> FloatArray | None:
        """Return (n, n_classes) probabilities, 0 for classes absent from the training part."""
        if not hasattr(self.estimator, "predict_proba"):
            return None
        known = self.estimator.predict_proba(X)
        probabilities = np.zeros((len(known), self.n_classes))
        probabilities[:, self.estimator.classes_] = known
        return probabilities

    def _predict_scores(self, X: FloatArray | CsrMatrix) -> FloatArray | None:
        """Return (n,) decision values of class 1; None unless data and training part have two.

        Those of a naive Bayes estimator, which has no ``decision_function``, are its log odds.
        """
        if not self.n_classes == len(self.estimator.classes_) == 2:
            return None
        if hasattr(self.estimator, "decision_function"):
            return np.asarray(self.estimator.decision_function(X), dtype=np.float64)
        if not hasattr(self.estimator, "predict_joint_log_proba"):
            return None
        joint = np.asarray(self.estimator.predict_joint_log_proba(X), dtype=np.float64)
        odds = joint[:, 1] - joint[:, 0]
        return odds if np.isfinite(odds).all() else None


def build_matrix(features: Features, accepted: AcceptedInput) -> FloatArray | CsrMatrix:
    """Return (n, p) numeric features, sparse or with missing values only if these are accepted.

    A dense matrix is a copy: estimators may change it, such as those with ``copy_X=False``.
    """
    if features.wide and accepted.sparse:
        return features.sparse_matrix()
    if accepted.missing_values:
        return features.matrix(copy=True)
    return features.complete_matrix(copy=True)


@dataclass(frozen=True, slots=True)
class ScikitLearner:
    """A scikit-learn estimator that is fitted anew on every training part.

    Parameters
    ----------
    name : str
        A class name of the reviewed list.
    params : mapping
        Checked parameters. A ``random_state`` that is not among them is drawn from the random
        stream of the fit.

    Source: pedregosa2011.

    Degenerate cases: a training part with one class is refused if the estimator needs two.
    """

    name: str
    params: EstimatorParams = field(default_factory=dict)
    task: str = "classification"

    @property
    def info(self) -> MethodInfo:
        """Name and title of the estimator."""
        return MethodInfo(
            name=self.name,
            title=make_title(self.name),
            summary=f"scikit-learn's {self.name}.",
            references=("pedregosa2011",),
        )

    @property
    def tasks(self) -> frozenset[str]:
        """The task it was built for."""
        return frozenset({self.task})

    @property
    def takes_weights(self) -> bool:
        """Whether its ``fit`` accepts ``sample_weight``."""
        return "sample_weight" in inspect.signature(load_class(self.name).fit).parameters

    @property
    def gives_probabilities(self) -> bool:
        """Whether its predictions include class probabilities; known before a fit."""
        return self.task == "classification" and hasattr(self._build_unfitted(), "predict_proba")

    @property
    def gives_scores(self) -> bool:
        """Whether its predictions for two classes include decision values."""
        has_scores = ("decision_function", "predict_joint_log_proba")
        return self.task == "classification" and any(
            hasattr(self._build_unfitted(), h) for h in has_scores
        )

    @property
    def accepted(self) -> AcceptedInput:
        """Whether the estimator accepts missing values and sparse matrices."""
        from sklearn.utils import get_tags  # noqa: PLC0415 - loaded late

        tags = get_tags(self._build_unfitted()).input_tags
        return AcceptedInput(bool(tags.allow_nan), bool(tags.sparse))

    def for_classes(self, classes: tuple[Label, ...]) -> ScikitLearner:
        """Return the learner with its class weights keyed by class code instead of label.

        Classes without a weight get 1. Raises ``InvalidParameter`` for a label that is no class.
        """
        by_label = self.params.get(BY_LABEL)
        if not isinstance(by_label, Mapping):
            return self
        labels = [make_label_key(label) for label in classes]
        weight_by_label = cast("Mapping[str, float]", by_label)
        for label in weight_by_label:
            if normalise_label_key(label, classes) not in labels:
                raise InvalidParameter(
                    f"{BY_LABEL} of {self.name} has a weight for {label!r}, which is not a class; "
                    f"the classes are {', '.join(labels[:20])}.",
                    loc=("params", BY_LABEL, label),
                    value=label,
                )
        weights = {
            normalise_label_key(label, classes): float(weight)
            for label, weight in weight_by_label.items()
        }
        by_code = {code: weights.get(label, 1.0) for code, label in enumerate(labels)}
        return replace(self, params={**self.params, BY_LABEL: by_code})

    def _build_unfitted(self) -> Any:
        return load_class(self.name)(**self.params)

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
        if weights is not None and not self.takes_weights:
            raise UnsupportedCombination(
                f"{self.name} takes no weights for its instances.", loc=("weights",)
            )
        takes = self.accepted
        X = build_matrix(features, takes)
        estimator = build_estimator(self.name, self.params, rng, task=self.task)
        weighting = {} if weights is None else {"sample_weight": weights}
        cautions: list[Caution] = []
        has_one_class = n_classes > 0 and len(np.unique(y)) < 2
        try:
            with catch_failures(self.name, cautions):
                estimator.fit(X, y, **weighting)
            fitted = FittedEstimator(self.name, estimator, n_classes, takes, tuple(cautions))
            # Some estimators take one class at the fit and fail on it when they predict.
            if has_one_class:
                fitted.predict(features.rows(np.arange(1)))
        except LearnerFailed as error:
            if has_one_class:
                raise InsufficientData(
                    f"The training part has one class only, and {self.name} needs two."
                ) from error
            raise
        return fitted
