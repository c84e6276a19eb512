"""Kind ``learning_curve``: learners fitted to growing training parts under one scheme."""

from __future__ import annotations

from typing import ClassVar

from thetahat_service.kinds.fitting.engine import FittingKind
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


KIND = LearningCurve(check_request, build_plan, run_group, build_result)
