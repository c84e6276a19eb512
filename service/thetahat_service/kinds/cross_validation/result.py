"""The result of kind ``cross_validation``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from thetahat.analyses.calibration.result import CalibrationSummary
from thetahat.analyses.cross_validation.result import CrossValidationEvaluation
from thetahat.analyses.importance_weighting.weights_result import UsedWeights
from thetahat_service.kinds.provenance import PlannedResult


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossValidationResult(PlannedResult):
    """The result of a cross-validation."""

    kind: Literal["cross_validation"] = "cross_validation"
    """``cross_validation``."""
    evaluation: CrossValidationEvaluation = field(metadata={"inline": True})
    """Models, comparisons, tests, and how each learner ran; its fields are fields of the result."""
    weights: UsedWeights | None = None
    """The importance weights of the rows, if the request has a target sample."""
    calibration: CalibrationSummary | None = None
    """How the coverage of the intervals was measured, if the request asks for it."""
