"""The result of kind ``predictions``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from service.kinds.provenance import Provenance
from thetahat.analyses.losses.result import EvaluationResult


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionsResult:
    """The result of an evaluation of predictions.

    Parameters
    ----------
    kind : str
        ``predictions``.
    evaluation : EvaluationResult
        Models, comparisons and tests; its fields are fields of the result.
    provenance : Provenance or None
        Version, seed, digests and methods, which make the result again.
    """

    kind: Literal["predictions"] = "predictions"
    evaluation: EvaluationResult = field(metadata={"inline": True})
    provenance: Provenance | None = None
