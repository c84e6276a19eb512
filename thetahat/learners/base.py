"""What a learner is."""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np

from thetahat.features import Features
from thetahat.losses.base import Predictions
from thetahat.registry import MethodInfo
from thetahat.types import FloatArray


class Fitted(Protocol):
    """A fitted model."""

    def predict(self, features: Features) -> Predictions:
        """Predict the instances of ``features``."""
        ...


class Learner(Protocol):
    """A frozen dataclass whose fields are the learner's parameters."""

    info: ClassVar[MethodInfo]
    tasks: ClassVar[frozenset[str]]  # of "classification", "regression"
    takes_weights: ClassVar[bool]

    def fit(
        self,
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        rng: np.random.Generator,
    ) -> Fitted:
        """Fit on the training part; nothing else of the data is seen."""
        ...
