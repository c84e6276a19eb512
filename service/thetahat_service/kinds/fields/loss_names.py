"""Types of request fields that name a loss or a metric of predictions."""

from __future__ import annotations

from typing import Annotated

from thetahat.losses import LOSSES
from thetahat.metrics import METRICS
from thetahat_service.kinds.fields.method_names import Listed, MethodEntry

LossName = Annotated[
    str,
    Listed("LossName", "A loss: a number for each prediction; lower is better.", LOSSES),
]


class LossEntry(MethodEntry[LossName]):
    """A loss with its parameters."""


MetricName = Annotated[
    str,
    Listed(
        "MetricName", "A metric: a number for all predictions of a test part together.", METRICS
    ),
]


class MetricEntry(MethodEntry[MetricName]):
    """A metric with its parameters."""
