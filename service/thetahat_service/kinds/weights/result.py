"""The result of kind ``weights``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from thetahat.analyses.importance_weighting.weights_result import EstimatedWeights
from thetahat.cautions import Caution
from thetahat.values.left_out_rows import LeftOutOfSamples
from thetahat_service.kinds.provenance import Provenance


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WeightsResult:
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
    caution_texts: Mapping[str, Caution] | None = None
    """Every caution once, by the key that the lists ``cautions`` of the result have: its code, with
    a number if several sentences have that code."""
    provenance: Provenance | None = None
    """Version, seed, digests and methods, which make the result again."""
