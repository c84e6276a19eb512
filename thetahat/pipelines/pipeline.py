"""A learner with its preparation steps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thetahat.cautions import Caution
from thetahat.errors import InsufficientData
from thetahat.learners.base import Fitted
from thetahat.losses.base import Predictions
from thetahat.pipelines.column_step import ColumnStep, FittedColumnStep
from thetahat.pipelines.groups import ColumnGroups, FittedColumnGroups, apply_steps, fit_steps
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray, Label


@dataclass(frozen=True, slots=True, eq=False)
class FittedPipeline:
    """Fitted steps and a fitted learner."""

    steps: tuple[FittedColumnStep | FittedColumnGroups, ...]
    fitted: Fitted

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """Warnings of the steps and the learner while they were fitted, each once."""
        distinct: dict[Caution, None] = {}
        for part in (*self.steps, self.fitted):
            distinct.update(dict.fromkeys(getattr(part, "cautions", ())))
        return tuple(distinct)

    def predict(self, features: Features) -> Predictions:
        """Apply the fitted steps, then predict."""
        return self.fitted.predict(apply_steps(self.steps, features))


def adapt_to_classes(learner: Any, classes: tuple[Label, ...]) -> Any:
    """Return the learner adapted to the class labels, if it has a method for that."""
    bind = getattr(learner, "for_classes", None)
    return learner if bind is None else bind(classes)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Preparation steps followed by a learner, all fitted on the training part only.

    Deviations: instance weights are used by the learner and by steps with ``weighted``; the other
    steps ignore them, as in scikit-learn's pipelines.

    Degenerate cases: a step without a column of its kind does nothing.
    """

    steps: tuple[ColumnStep | ColumnGroups, ...]
    """In order; each is fitted to the output of the step before it."""
    learner: Any
    """A ``Learner``."""
    task: str
    """``classification`` or ``regression``."""

    @property
    def info(self) -> MethodInfo:
        """Description of the learner."""
        info: MethodInfo = self.learner.info
        return info

    @property
    def tasks(self) -> frozenset[str]:
        """The task it was built for."""
        return frozenset({self.task})

    @property
    def takes_weights(self) -> bool:
        """Whether the learner takes weights."""
        return bool(self.learner.takes_weights)

    @property
    def gives_probabilities(self) -> bool:
        """Whether predictions include class probabilities (the default of a learner)."""
        return self.task == "classification" and getattr(self.learner, "gives_probabilities", True)

    @property
    def gives_scores(self) -> bool:
        """Whether predictions include decision values (not the default of a learner)."""
        return self.task == "classification" and getattr(self.learner, "gives_scores", False)

    @property
    def why_no_scores(self) -> str:
        """Why the learner has no decision values; empty if it does not say."""
        return getattr(self.learner, "why_no_scores", "")

    def for_classes(self, classes: tuple[Label, ...]) -> Pipeline:
        """Return the pipeline with its learner adapted to the class labels."""
        return replace(self, learner=adapt_to_classes(self.learner, classes))

    def fit(
        self,
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        rng: np.random.Generator,
        n_classes: int,
    ) -> FittedPipeline:
        """Fit the steps, then the learner, on the training part."""
        steps, features = fit_steps(
            self.steps, features, y, task=self.task, rng=rng, weights=weights
        )
        if not features.width:
            raise InsufficientData(
                "The preparation steps leave no column for the learner.", loc=("prepare",)
            )
        fitted = self.learner.fit(features, y, weights=weights, rng=rng, n_classes=n_classes)
        return FittedPipeline(steps, fitted)
