"""Kind ``learning_curve``: learners fitted to growing training parts under one scheme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar
from uuid import UUID

from thetahat.cross_validation import Group
from thetahat_service.kinds.base import ChunkOutput, DatasetFile, Finished, Job
from thetahat_service.kinds.fitting.engine import ChunkKey, FittingKind, GroupOutputs, JoinedOutputs
from thetahat_service.kinds.fitting.open_task import set_task
from thetahat_service.kinds.learning_curve.plan import LearningCurvePlan, build_plan, check_request
from thetahat_service.kinds.learning_curve.request import LearningCurveRequest
from thetahat_service.kinds.learning_curve.result import LearningCurveResult, build_result
from thetahat_service.kinds.learning_curve.run import run_group


class LearningCurve(FittingKind[LearningCurveRequest, LearningCurvePlan]):
    """Fits for every split, size and learner, spread over the workers."""

    name: ClassVar[str] = "learning_curve"
    title: ClassVar[str] = "Error against training size"
    tests_data: ClassVar[bool] = True
    request = LearningCurveRequest
    result = LearningCurveResult

    def check(self, request: LearningCurveRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
        """Check a request; no learner is fitted."""
        request = set_task(request, datasets)
        check_request(request, datasets)

    def plan(self, job: Job[LearningCurveRequest]) -> LearningCurvePlan:
        """Return the plan of a job."""
        return build_plan(job)

    def run_group(self, plan: LearningCurvePlan, group: Group, key: ChunkKey) -> GroupOutputs:
        """Fit and test the learners of a group on the splits of a chunk."""
        return run_group(plan, group, key)

    def finish(
        self, plan: LearningCurvePlan, outputs: JoinedOutputs, other_outputs: Sequence[ChunkOutput]
    ) -> Finished:
        """Compute the curves of the learners at the sizes that have outputs."""
        del other_outputs
        return build_result(plan, outputs)


KIND = LearningCurve()
