"""Kind ``weights``: importance weights of a source sample, and how far they can be trusted."""

from __future__ import annotations

from typing import ClassVar

from thetahat.analyses.importance_weighting.weights_result import describe_weights
from thetahat_service.kinds.base import Finished, Job, JobKind
from thetahat_service.kinds.methods_used import record_method
from thetahat_service.kinds.weights.plan import build_plan, check_request
from thetahat_service.kinds.weights.request import WeightsRequest
from thetahat_service.kinds.weights.result import WeightsResult


class Weights(JobKind[WeightsRequest]):
    """Importance weights, estimated without chunks whatever the size of the samples."""

    name: ClassVar[str] = "weights"
    title: ClassVar[str] = "Importance weights alone"
    request = WeightsRequest
    result = WeightsResult
    check = staticmethod(check_request)

    def start(self, job: Job[WeightsRequest]) -> Finished:
        """Estimate the weights and describe them."""
        plan = build_plan(job.request, job.datasets)
        weighing = plan.estimate(job.seed)
        name = plan.estimator.info.name
        weights = describe_weights(name, weighing, plan.samples, job.seed)
        methods = (record_method("weights", plan.estimator),)
        cautions = () if plan.left_out is None else tuple(plan.left_out.cautions())
        result = WeightsResult(weights=weights, left_out=plan.left_out, cautions=cautions)
        return Finished(result, methods=methods)


KIND = Weights()
