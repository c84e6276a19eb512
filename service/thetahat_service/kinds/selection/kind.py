"""Kind ``selection``: internal splits choose a learner, external splits assess the choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar
from uuid import UUID

from thetahat.cross_validation import Group
from thetahat_service.kinds.base import ChunkOutput, DatasetFile, Finished, Job
from thetahat_service.kinds.fitting.engine import ChunkKey, FittingKind, GroupOutputs, JoinedOutputs
from thetahat_service.kinds.fitting.open_task import set_task
from thetahat_service.kinds.selection.plan import SelectionPlan, build_plan, check_request
from thetahat_service.kinds.selection.request import SelectionRequest
from thetahat_service.kinds.selection.result import SelectionResult, build_result
from thetahat_service.kinds.selection.run import run_group


class Selection(FittingKind[SelectionRequest, SelectionPlan]):
    """Fits for every candidate, external and internal split, spread over the workers."""

    name: ClassVar[str] = "selection"
    title: ClassVar[str] = "Selection among learners"
    tests_data: ClassVar[bool] = True
    request = SelectionRequest
    result = SelectionResult

    def check(self, request: SelectionRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
        """Check a request; no learner is fitted."""
        request = set_task(request, datasets)
        check_request(request, datasets)

    def plan(self, job: Job[SelectionRequest]) -> SelectionPlan:
        """Return the plan of a job."""
        return build_plan(job)

    def run_group(self, plan: SelectionPlan, group: Group, key: ChunkKey) -> GroupOutputs:
        """Fit and test candidates on external splits and inside them, or on all rows."""
        return run_group(plan, group, key)

    def finish(
        self, plan: SelectionPlan, outputs: JoinedOutputs, other_outputs: Sequence[ChunkOutput]
    ) -> Finished:
        """Choose among the candidates that have outputs, and evaluate the choice."""
        del other_outputs
        return build_result(plan, outputs)


KIND = Selection()
