"""The result of kind ``predictions``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from thetahat.analyses.cross_validation.bias_variance import BiasVariance
from thetahat.analyses.losses.result import EvaluationResult
from thetahat_service.kinds.provenance import PlannedResult


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionsResult(PlannedResult):
    """The result of an evaluation of predictions."""

    kind: Literal["predictions"] = "predictions"
    """``predictions``."""
    evaluation: EvaluationResult = field(metadata={"inline": True})
    """Models, comparisons and tests; its fields are fields of the result."""
    bias_variance: Mapping[str, BiasVariance] | None = None
    """By model, its loss split in squared bias and variance, if the loss is squared or zero-one and
    an instance has predictions of several fits."""
