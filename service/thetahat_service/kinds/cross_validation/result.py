"""The result of kind ``cross_validation``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from thetahat.analyses.cross_validation.result import CrossValidationEvaluation
from thetahat.analyses.importance_weighting.weights_result import UsedWeights
from thetahat.cautions import Caution
from thetahat_service.kinds.provenance import Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSourceCalibration:
    """How the coverage of intervals for a new source was measured."""

    drawn: int
    """Number of sources in each sample."""
    sources: int
    """Number of sources in the data."""
    truth_from: str
    """What the truth is computed from."""
    note: str
    """In which direction the coverage errs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationSummary:
    """How the coverage of the intervals was measured on samples of the data."""

    repetitions: int
    """Number of samples that were drawn."""
    share: float
    """Share of the rows, or of the rows of each source, in a sample."""
    rows: int
    """Number of rows in a sample."""
    truth_from: str
    """What the truth is computed from."""
    new_source: NewSourceCalibration | None
    """How intervals for a new source were measured; null if no whole sources were drawn."""
    cautions: tuple[Caution, ...]
    """Cautions about the measured coverage."""
    note: str
    """How the samples differ from the data."""


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
    provenance: Provenance | None = None
    """Version, seed, digests and methods, which make the result again."""
