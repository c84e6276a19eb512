"""Types of request fields that name an estimator of importance weights or of weighted risks."""

from __future__ import annotations

from typing import Annotated

from thetahat.importance_weights import IMPORTANCE_WEIGHTS
from thetahat.weighted_risks import WEIGHTED_RISKS
from thetahat_service.kinds.fields.method_names import Listed, MethodEntry

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
