"""Types of request fields that name an estimator of importance weights or of weighted risks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from thetahat.importance_weights import IMPORTANCE_WEIGHTS, WeightEstimator, get_default_weights
from thetahat.weighted_risks import WEIGHTED_RISKS
from thetahat.weighted_risks.base import RiskEstimator
from thetahat_service.kinds.fields.method_names import Listed, Method, MethodEntry
from thetahat_service.kinds.fields.methods import parse_method, parse_methods

WeightsName = Annotated[
    str, Listed("WeightsName", "An estimator of importance weights.", IMPORTANCE_WEIGHTS)
]


class WeightsEntry(MethodEntry[WeightsName]):
    """An estimator of importance weights with its parameters."""


RiskName = Annotated[
    str, Listed("RiskName", "An estimator of the risk under the target population.", WEIGHTED_RISKS)
]


class RiskEntry(MethodEntry[RiskName]):
    """An estimator of the risk under the target population, with its parameters."""


def parse_weights(requested: Method | None) -> WeightEstimator:
    """Return the estimator of the weights of a request; the default if it names none."""
    return parse_method(IMPORTANCE_WEIGHTS, requested or get_default_weights(), ("weights",))


def parse_risks(requested: Sequence[Method] | None) -> dict[str, RiskEstimator]:
    """Return the risks of a request by their key in the result; all if it names none."""
    named = list(WEIGHTED_RISKS) if requested is None else requested
    entries: Any = parse_methods(WEIGHTED_RISKS, named, "risks")
    return {entry.key: entry.method for entry in entries}
