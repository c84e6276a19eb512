"""The evaluation of models by their predictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from thetahat.analyses.cross_validation.bias_variance import BiasVariance
from thetahat.analyses.losses.result import EvaluationResult


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PredictionsEvaluation(EvaluationResult):
    """The evaluation of models by their predictions."""

    bias_variance: Mapping[str, BiasVariance] | None = None
    """Squared bias and variance by model, if the loss is squared or zero-one and an instance has
    predictions of several fits."""
