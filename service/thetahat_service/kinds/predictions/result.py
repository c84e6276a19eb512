"""The result of kind ``predictions``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from thetahat.analyses.cross_validation.bias_variance import BiasVariance
from thetahat.analyses.losses.result import EvaluationResult
from thetahat.cautions import Caution
from thetahat_service.kinds.provenance import Provenance
from thetahat_service.schemas.protocol import ProtocolOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionsResult:
    """The result of an evaluation of predictions."""

    kind: Literal["predictions"] = "predictions"
    """``predictions``."""
    evaluation: EvaluationResult = field(metadata={"inline": True})
    """Models, comparisons and tests; its fields are fields of the result."""
    bias_variance: Mapping[str, BiasVariance] | None = None
    """By model, its loss split in squared bias and variance, if the loss is squared or zero-one and
    an instance has predictions of several fits."""
    caution_texts: Mapping[str, Caution] | None = None
    """Every caution once, by the key that the lists ``cautions`` of the result have: its code, with
    a number if several sentences have that code."""
    provenance: Provenance | None = None
    """Version, seed, digests and methods, which make the result again."""
    protocol: ProtocolOutcome | None = None
    """How the evaluation follows the protocol that its request names; left out without one."""
