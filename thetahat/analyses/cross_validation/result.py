"""The evaluation of learners that were cross-validated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from thetahat.analyses.cross_validation.bias_variance import BiasVariance
from thetahat.analyses.losses.result import EvaluationResult
from thetahat.cross_validation import LearnerFailure, LearnerFits


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CrossValidationEvaluation(EvaluationResult):
    """The evaluation of the learners that ran, and how each learner ran."""

    failures: Mapping[str, LearnerFailure]
    """Learners that failed, with the reason."""
    learners: Mapping[str, LearnerFits]
    """How the splits of each learner were predicted."""
    bias_variance: Mapping[str, BiasVariance] | None = None
    """Squared bias and variance by learner, if several fits predict an instance and the loss is
    squared or zero-one."""
