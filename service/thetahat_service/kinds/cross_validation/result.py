"""The result of kind ``cross_validation``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from thetahat.analyses.calibration.result import CalibrationSummary
from thetahat.analyses.cross_validation.result import CrossValidationEvaluation
from thetahat.analyses.importance_weighting.weights_result import UsedWeights
from thetahat.cautions import Caution
from thetahat_service.kinds.provenance import Provenance
from thetahat_service.schemas.protocol import ProtocolOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossValidationResult:
    """The result of a cross-validation."""

    kind: Literal["cross_validation"] = "cross_validation"
    """``cross_validation``."""
    evaluation: CrossValidationEvaluation = field(metadata={"inline": True})
    """Models, comparisons, tests, and how each learner ran; its fields are fields of the result."""
    weights: UsedWeights | None = None
    """The importance weights of the rows, if the request has a target sample."""
    calibration: CalibrationSummary | None = None
    """How the coverage of the intervals was measured, if the request asks for it."""
    caution_texts: Mapping[str, Caution] | None = None
    """Every caution once, by the key that the lists ``cautions`` of the result have: its code, with
    a number if several sentences have that code."""
    provenance: Provenance | None = None
    """Version, seed, digests and methods, which make the result again."""
    protocol: ProtocolOutcome | None = None
    """How the evaluation follows the protocol that its request names; left out without one."""
