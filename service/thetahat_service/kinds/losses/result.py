"""The result of kind ``losses``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from thetahat.analyses.losses.result import EvaluationResult
from thetahat.cautions import Caution
from thetahat_service.kinds.provenance import Provenance
from thetahat_service.schemas.protocol import ProtocolOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class LossesResult:
    """The result of an evaluation of losses."""

    kind: Literal["losses"] = "losses"
    """``losses``."""
    evaluation: EvaluationResult = field(metadata={"inline": True})
    """Models, comparisons and tests; its fields are fields of the result."""
    caution_texts: Mapping[str, Caution] | None = None
    """Every caution once, by the key that the lists ``cautions`` of the result have: its code, with
    a number if several sentences have that code."""
    provenance: Provenance | None = None
    """Version, seed, digests and methods, which make the result again."""
    protocol: ProtocolOutcome | None = None
    """How the evaluation follows the protocol that its request names; left out without one."""
