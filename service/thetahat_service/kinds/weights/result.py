"""The result of kind ``weights``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from thetahat.analyses.importance_weighting.weights_result import EstimatedWeights
from thetahat.cautions import Caution
from thetahat.values.left_out_rows import LeftOutOfSamples
from thetahat_service.kinds.provenance import KindResult


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WeightsResult(KindResult):
    """Importance weights of a source sample."""

    kind: Literal["weights"] = "weights"
    """``weights``."""
    weights: EstimatedWeights
    """The weights with their diagnostics."""
    cautions: tuple[Caution, ...] = ()
    """Cautions about rows that are left out; the weights have their own."""
    left_out: LeftOutOfSamples | None = None
    """Incomplete rows that are left out of the samples; the weights are those of the other rows, in
    order."""
