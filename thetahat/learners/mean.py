"""The baseline of a regression: the mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.learners._training_parts import ConstantModel, read_weights
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanLearner:
    """Predicts the mean of the training targets.

    A regression that does no better has learnt nothing from its features.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Mean of the training targets",
        summary=(
            "The baseline of a regression: it predicts the (weighted) mean of the training "
            "targets and does not look at the features."
        ),
        formula=r"\hat y = \sum_i w_i y_i / \sum_i w_i",
        references=("hastie2009",),
        assumptions="None.",
        errs="It is the best constant for the squared loss, not for the absolute one.",
    )
    tasks: ClassVar[frozenset[str]] = frozenset({"regression"})
    takes_weights: ClassVar[bool] = True

    def fit(
        self,
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        n_classes: int,
        rng: np.random.Generator,
    ) -> ConstantModel:
        """Fit the model: average the targets."""
        del features, n_classes, rng
        return ConstantModel(float(np.average(y, weights=read_weights(weights, len(y)))))
