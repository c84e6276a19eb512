"""A learner of values as a classifier: fitted to the classes as -1 and 1."""

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


def signs_of(codes: np.ndarray) -> FloatArray:
    """(n,) -1 for the first class and 1 for the second."""
    return np.where(codes == 1, 1.0, -1.0)


def said_by(scores: FloatArray) -> Predictions:
    """Return decision values with the classes they stand for: the second above 0."""
    return Predictions((scores > 0).astype(np.intp), scores=scores)


@dataclass(frozen=True, slots=True, eq=False)
class FittedSigns:
    """A model of the signs."""

    model: Fitted

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What the model says of itself."""
        own: tuple[Caution, ...] = getattr(self.model, "cautions", ())
        return own

    def predict(self, features: Features) -> Predictions:
        """Predict classes, with the model's values as decision values."""
        return said_by(np.asarray(self.model.predict(features).output, dtype=np.float64))


@dataclass(frozen=True, slots=True)
class FittedToSigns:
    """A learner of values that learns the two classes as -1 and 1.

    With ``ridge`` it is the weighted least squares classifier of the source.

    Parameters
    ----------
    learner : Learner
        Of a regression.

    Source: kouw2019, section 5.2.

    Degenerate cases: a value of 0 is the first class; a training part of one class is learnt.
    """

    learner: Any

    @property
    def info(self) -> MethodInfo:
        """The learner's own."""
        info: MethodInfo = self.learner.info
        return info

    @property
    def tasks(self) -> frozenset[str]:
        """Classification."""
        return frozenset({"classification"})

    @property
    def takes_weights(self) -> bool:
        """As the learner does."""
        return bool(self.learner.takes_weights)

    @property
    def gives_probabilities(self) -> bool:
        """None."""
        return False

    @property
    def gives_scores(self) -> bool:
        """Decision values of the second class."""
        return True

    def fit(
        self,
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        n_classes: int,
        rng: np.random.Generator,
    ) -> FittedSigns:
        """Fit the signs."""
        del n_classes
        signs = signs_of(y)
        return FittedSigns(self.learner.fit(features, signs, weights=weights, n_classes=0, rng=rng))
