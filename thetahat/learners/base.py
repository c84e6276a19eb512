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
        """Predict the instances of ``features``: class codes with probabilities, or values.

        ``output`` is (n,) class codes for a classification, values for a regression;
        ``probabilities``, where the model gives them, is (n, n_classes) over all classes of the
        data, 0 for a class that the training part did not have.
        """
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
        n_classes: int,
        rng: np.random.Generator,
    ) -> Fitted:
        """Fit on the training part; nothing else of the data is seen.

        ``y`` is (n,) codes 0 to ``n_classes - 1`` for a classification, and some of them may be
        absent here; float64 values and ``n_classes`` 0 for a regression.
        """
        ...
