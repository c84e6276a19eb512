"""A regression learner as a classifier, fitted to the classes coded as -1 and 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from thetahat.cautions import Caution
from thetahat.learners.base import Fitted
from thetahat.losses.base import Predictions
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray


def encode_signs(codes: np.ndarray) -> FloatArray:
    """Return (n,) codes: -1 for the first class and 1 for the second."""
    return np.where(codes == 1, 1.0, -1.0)


def predict_from_scores(scores: FloatArray) -> Predictions:
    """Return predictions from decision values: the second class above 0, else the first."""
    return Predictions((scores > 0).astype(np.intp), scores=scores)


@dataclass(frozen=True, slots=True, eq=False)
class FittedSignClassifier:
    """A regression model fitted to classes coded as -1 and 1."""

    model: Fitted

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """Cautions of the fitted model."""
        cautions: tuple[Caution, ...] = getattr(self.model, "cautions", ())
        return cautions

    def predict(self, features: Features) -> Predictions:
        """Predict classes; the predicted values are the decision values."""
        return predict_from_scores(
            np.asarray(self.model.predict(features).output, dtype=np.float64)
        )


@dataclass(frozen=True, slots=True)
class SignClassifier:
    """A regression learner that is fitted to two classes coded as -1 and 1.

    With ``ridge`` it is the weighted least squares classifier of the source text.

    Source: kouw2019, section 5.2.

    Degenerate cases: a predicted value of 0 gives the first class; a training part with only one
    class is accepted.
    """

    learner: Any
    """A learner for regression."""

    @property
    def info(self) -> MethodInfo:
        """Description of the regression learner."""
        info: MethodInfo = self.learner.info
        return info

    @property
    def tasks(self) -> frozenset[str]:
        """The task, classification."""
        return frozenset({"classification"})

    @property
    def takes_weights(self) -> bool:
        """Whether the regression learner takes weights."""
        return bool(self.learner.takes_weights)

    @property
    def gives_probabilities(self) -> bool:
        """False: only classes and decision values are predicted."""
        return False

    @property
    def gives_scores(self) -> bool:
        """True: the predicted values are decision values for the second class."""
        return True

    def fit(
        self,
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        n_classes: int,
        rng: np.random.Generator,
    ) -> FittedSignClassifier:
        """Fit the regression learner to the coded classes."""
        del n_classes
        signs = encode_signs(y)
        return FittedSignClassifier(
            self.learner.fit(features, signs, weights=weights, n_classes=0, rng=rng)
        )
