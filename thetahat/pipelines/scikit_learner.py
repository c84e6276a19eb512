"""A scikit-learn classifier or regressor as a learner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, cast

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.pipelines.allowed_classes import load_class, make_title
from thetahat.pipelines.estimator_learner import JOINT_LOG_PROBABILITIES, EstimatorLearner
from thetahat.pipelines.estimators import EstimatorParams, build_estimator
from thetahat.pipelines.parameter_limits import BY_LABEL
from thetahat.registry import MethodInfo
from thetahat.tables.labels import make_label_key, normalise_label_key
from thetahat.values.types import Label


@dataclass(frozen=True, slots=True)
class ScikitLearner(EstimatorLearner):
    """A scikit-learn estimator that is fitted anew on every training part.

    Source: pedregosa2011.

    Degenerate cases: a training part with one class is refused if the estimator needs two.
    """

    name: str
    """A class name of the reviewed list."""
    params: EstimatorParams = field(default_factory=dict)
    """Checked parameters. A ``random_state`` that is not among them is drawn from the random stream
    of the fit."""
    task: str = "classification"
    score_methods: ClassVar[tuple[str, ...]] = ("decision_function", JOINT_LOG_PROBABILITIES)

    @property
    def info(self) -> MethodInfo:
        """Name and title of the estimator."""
        return MethodInfo(
            name=self.name,
            title=make_title(self.name),
            summary=f"scikit-learn's {self.name}.",
            references=("pedregosa2011",),
        )

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

    def get_unfitted(self) -> Any:
        """Return an estimator with these parameters."""
        return load_class(self.name)(**self.params)

    def build(self, rng: np.random.Generator) -> Any:
        """Return an unfitted estimator whose random numbers come from ``rng``."""
        return build_estimator(self.name, self.params, rng, task=self.task)

    def list_classes(self, n_classes: int) -> tuple[Label, ...]:
        """Return the codes: the estimator gets no labels."""
        return tuple(range(n_classes))
