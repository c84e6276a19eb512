"""The result of kind ``losses``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from thetahat.analyses.losses.result import EvaluationResult
from thetahat_service.kinds.provenance import PlannedResult


@dataclass(frozen=True, slots=True, kw_only=True)
class LossesResult(PlannedResult):
    """The result of an evaluation of losses."""

    kind: Literal["losses"] = "losses"
    """``losses``."""
    evaluation: EvaluationResult = field(metadata={"inline": True})
    """Models, comparisons and tests; its fields are fields of the result."""
