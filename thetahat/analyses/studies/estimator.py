"""One estimator of a study: learners under a scheme, and what is made of their losses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from thetahat.analyses.losses import Choices
from thetahat.analyses.studies.truths import FITTED, MODEL
from thetahat.importance_weights import WeightEstimator
from thetahat.learners.base import Learner
from thetahat.losses.base import Loss
from thetahat.losses.base import for_classes as loss_for_classes
from thetahat.pipelines import for_classes
from thetahat.refit_estimators import RequestedRefit
from thetahat.schemes.base import Scheme
from thetahat.values.types import Label
from thetahat.weighted_risks.base import RiskEstimator


@dataclass(frozen=True, slots=True, eq=False)
class WeightedEstimation:
    """What is done with a source and a target sample.

    Parameters
    ----------
    weights : WeightEstimator
        Of the source rows; ``given`` takes the generator's own.
    risks : mapping of str to RiskEstimator
        By key.
    """

    weights: WeightEstimator
    risks: Mapping[str, RiskEstimator]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StudyEstimator:
    """What is done with one draw.

    Parameters
    ----------
    key : str
        What it is called in the result.
    choices : Choices
        Level, variances, intervals, tests; None there means all that fit.
    scheme : Scheme or None
        Splits; None where losses are drawn.
    learners : mapping of str to Learner
        By name; empty where losses are drawn.
    loss : Loss or None
        None where losses are drawn.
    refits : tuple of Asked
        Methods that fit the learners again.
    truths : tuple of str
        Which truths of a repetition are taken; each ``fold_models`` is a fit per split.
    select : str or None
        The rule by which one of the learners is chosen by its losses: ``least`` or
        ``one_standard_error``; None chooses none.
    weighted : Weighted or None
        Where pairs of samples are drawn.
    """

    key: str
    choices: Choices = field(default_factory=Choices)
    scheme: Scheme | None = None
    learners: Mapping[str, Learner] = field(default_factory=dict)
    loss: Loss | None = None
    refits: tuple[RequestedRefit, ...] = ()
    truths: tuple[str, ...] = (MODEL, FITTED)
    select: str | None = None
    weighted: WeightedEstimation | None = None

    def told_classes(self, classes: tuple[Label, ...]) -> StudyEstimator:
        """Return it with loss and learners told what the classes of the data are."""
        return replace(
            self,
            loss=None if self.loss is None else loss_for_classes(self.loss, classes),
            learners={name: for_classes(one, classes) for name, one in self.learners.items()},
        )
