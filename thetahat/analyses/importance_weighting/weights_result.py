"""The part of a result that describes importance weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from thetahat.cautions import Caution
from thetahat.importance_weights import Diagnostics, ImportanceWeights, Samples, diagnose
from thetahat.seeds import make_random_stream
from thetahat.values.json_values import JsonValue
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EstimatedWeights:
    """Importance weights of the source rows, and how far they can be trusted."""

    method: str
    """The estimator of the weights."""
    values: FloatArray
    """(n,) weight of each source row."""
    n: int
    """Number of source rows."""
    n_target: int
    """Number of target rows."""
    n_features: int
    """Number of features."""
    diagnostics: Diagnostics = field(metadata={"inline": True})
    """Numbers that describe the weights; its fields are fields of this object."""
    details: Mapping[str, JsonValue]
    """Further numbers of the estimator, such as the width of a kernel."""
    cautions: tuple[Caution, ...]
    """Cautions about the weights."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UsedWeights:
    """Importance weights that enter weighted risks."""

    weights: EstimatedWeights = field(metadata={"inline": True})
    """The weights; its fields are fields of this object."""
    estimated_from: Literal["all", "training"] = field(metadata={"wire": "from"})
    """The rows that the weights are estimated from: ``all`` rows, or those of each ``training``
    part."""
    in_fits: bool
    """Whether the fits are weighted too."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SelectionWeights:
    """Importance weights of a selection."""

    used: UsedWeights = field(metadata={"inline": True})
    """The weights of all source rows; its fields are fields of this object."""
    validation_values: FloatArray | None = None
    """(n,) weight of each row's validation loss, where weights are estimated inside each training
    part."""
    validation: Diagnostics | None = None
    """Numbers that describe ``validation_values``."""
    second_moment: float | None
    """Mean of the squared weights over the source, estimated from the target; None where the
    estimator has no function."""


def describe_weights(
    method: str, weighing: ImportanceWeights, samples: Samples, seed: int
) -> EstimatedWeights:
    """Return estimated weights with their diagnostics."""
    diagnostics = diagnose_weights(weighing.values, samples, seed)
    return EstimatedWeights(
        method=method,
        values=weighing.values,
        n=samples.n,
        n_target=samples.m,
        n_features=samples.p,
        diagnostics=diagnostics,
        details=weighing.details,
        cautions=tuple(dict.fromkeys((*weighing.cautions, *diagnostics.cautions))),
    )


def diagnose_weights(weights: FloatArray, samples: Samples, seed: int) -> Diagnostics:
    """Return the diagnostics of (n,) weights; the seed draws rows where there are very many."""
    return diagnose(weights, samples, make_random_stream(seed, "coverage"))
