"""An estimator of a study: learners under a scheme, and the methods applied to their losses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from thetahat.analyses.losses import Choices
from thetahat.analyses.selection.selection_rules import SelectionRule
from thetahat.analyses.studies.truths import FITTED, MODEL
from thetahat.importance_weights import WeightEstimator
from thetahat.learners.base import Learner
from thetahat.losses.base import Loss
from thetahat.losses.base import adapt_to_classes as loss_for_classes
from thetahat.pipelines import adapt_to_classes
from thetahat.refit_estimators import RequestedRefit
from thetahat.schemes.base import Scheme
from thetahat.values.types import Label
from thetahat.weighted_risks.base import RiskEstimator


@dataclass(frozen=True, slots=True, eq=False)
class WeightedEstimation:
    """How the target risk is estimated from a source and a target sample."""

    weights: WeightEstimator
    """Estimates the weights of the source rows; ``given`` takes the generator's true weights."""
    risks: Mapping[str, RiskEstimator]
    """By key."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StudyEstimator:
    """An estimator of a study: the numbers that it computes from one draw."""

    key: str
    """The estimator's name in the result."""
    choices: Choices = field(default_factory=Choices)
    """Level, variances, intervals and tests; a list that is None stands for all that fit."""
    scheme: Scheme | None = None
    """The splits; None if losses are drawn."""
    learners: Mapping[str, Learner] = field(default_factory=dict)
    """By name; empty if losses are drawn."""
    loss: Loss | None = None
    """None if losses are drawn."""
    refits: tuple[RequestedRefit, ...] = ()
    """Methods that fit the learners again."""
    truths: tuple[str, ...] = (MODEL, FITTED)
    """The truths computed in every repetition; each ``fold_models`` costs a fit per split."""
    select: SelectionRule | None = None
    """The rule by which one learner is chosen by its losses, ``least`` or ``one_standard_error``;
    None chooses none."""
    weighted: WeightedEstimation | None = None
    """If pairs of samples are drawn."""

    def for_classes(self, classes: tuple[Label, ...]) -> StudyEstimator:
        """Return the estimator with its loss and learners set up for the classes of the data."""
        return replace(
            self,
            loss=None if self.loss is None else loss_for_classes(self.loss, classes),
            learners={
                name: adapt_to_classes(learner, classes) for name, learner in self.learners.items()
            },
        )
