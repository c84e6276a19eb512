"""A learner behind the preparation of its columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thetahat.cautions import Caution
from thetahat.errors import InsufficientData
from thetahat.learners.base import Fitted
from thetahat.losses.base import Predictions
from thetahat.pipelines.column_step import LearntStep, PlacedStep
from thetahat.pipelines.groups import LearntGroups, PlacedGroups, learn_in_turn, transform_in_turn
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray, Label


@dataclass(frozen=True, slots=True, eq=False)
class FittedPipeline:
    """Learnt steps and a fitted learner."""

    steps: tuple[LearntStep | LearntGroups, ...]
    fitted: Fitted

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What the steps and the learner warned of while they were fitted."""
        told: dict[Caution, None] = {}
        for part in (*self.steps, self.fitted):
            told.update(dict.fromkeys(getattr(part, "cautions", ())))
        return tuple(told)

    def predict(self, features: Features) -> Predictions:
        """Apply the steps as they were learnt, then predict."""
        return self.fitted.predict(transform_in_turn(self.steps, features))


def for_classes(learner: Any, classes: tuple[Label, ...]) -> Any:
    """Return a learner told what the classes of the data are, where it wants to know."""
    bind = getattr(learner, "for_classes", None)
    return learner if bind is None else bind(classes)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Preparation steps, then a learner; both learnt inside the training part only.

    Parameters
    ----------
    steps : tuple of PlacedStep or PlacedGroups
        In order; each learns from what the one before made of the training part.
    learner : Any
        A ``Learner``.
    task : str
        ``classification`` or ``regression``.

    Deviations: instance weights reach the learner, and those steps that are asked to learn with
    them (``weighted``); the others are learnt without, as in scikit-learn's pipelines.

    Degenerate cases: a step that finds no column of its kind does nothing.
    """

    steps: tuple[PlacedStep | PlacedGroups, ...]
    learner: Any
    task: str

    @property
    def info(self) -> MethodInfo:
        """The learner's."""
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
        """Whether predictions hold class probabilities; a learner that does not say, gives them."""
        return self.task == "classification" and getattr(self.learner, "gives_probabilities", True)

    @property
    def gives_scores(self) -> bool:
        """Whether predictions hold decision values; a learner that does not say, gives none."""
        return self.task == "classification" and getattr(self.learner, "gives_scores", False)

    def for_classes(self, classes: tuple[Label, ...]) -> Pipeline:
        """Return the pipeline with its learner told what the classes are."""
        return replace(self, learner=for_classes(self.learner, classes))

    def fit(
        self,
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        rng: np.random.Generator,
        n_classes: int,
    ) -> FittedPipeline:
        """Learn the steps and fit the learner on the training part."""
        learnt, features = learn_in_turn(
            self.steps, features, y, task=self.task, rng=rng, weights=weights
        )
        if not features.width:
            raise InsufficientData("no column is left to learn from", loc=("prepare",))
        fitted = self.learner.fit(features, y, weights=weights, rng=rng, n_classes=n_classes)
        return FittedPipeline(learnt, fitted)
