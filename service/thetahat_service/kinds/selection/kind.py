"""Kind ``selection``: internal splits choose a learner, external splits assess the choice."""

from __future__ import annotations

from typing import ClassVar

from thetahat_service.kinds.fitting.engine import FittingKind
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


KIND = Selection(check_request, build_plan, run_group, build_result)
