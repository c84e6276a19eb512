"""The request of kind ``weights``."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from thetahat.importance_weights import get_default_weights
from thetahat_service.kinds.fields.left_out import LeftOutSampleFields
from thetahat_service.kinds.fields.sample import SampleInput
from thetahat_service.kinds.fields.weighting_names import WeightsEntry, WeightsName
from thetahat_service.schemas.base import EvaluationRequest


class WeightsRequest(EvaluationRequest, LeftOutSampleFields):
    """Two samples, and how the weights are estimated."""

    data_fields: ClassVar[frozenset[str]] = frozenset({"source", "target"})

    kind: Literal["weights"] = Field("weights", description="The kind of the evaluation.")
    source: SampleInput = Field(description="The sample whose rows are weighted.")
    target: SampleInput = Field(
        description="A sample of the target population, which the weighted source resembles."
    )
    weights: WeightsName | WeightsEntry = Field(
        get_default_weights(),
        description="The estimator of the weights.",
        examples=["kernel_mean_matching"],
    )
