"""Kind ``cross_validation``: fit learners under a resampling scheme, then evaluate their losses."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import ClassVar
from uuid import UUID

from thetahat.analyses.calibration.studies import CALIBRATION
from thetahat_service.kinds.base import DatasetFile, Job
from thetahat_service.kinds.cross_validation.calibration import (
    check_calibration,
    cut_calibration,
    run_calibration,
)
from thetahat_service.kinds.cross_validation.gather import build_result
from thetahat_service.kinds.cross_validation.plan import (
    CrossValidationPlan,
    build_plan,
    check_request,
)
from thetahat_service.kinds.cross_validation.request import CrossValidationRequest
from thetahat_service.kinds.cross_validation.result import CrossValidationResult
from thetahat_service.kinds.cross_validation.run import run_group
from thetahat_service.kinds.fitting.engine import FittingKind


class CrossValidation(FittingKind[CrossValidationRequest, CrossValidationPlan]):
    """Fits for every split and learner, spread over the workers."""

    name: ClassVar[str] = "cross_validation"
    title: ClassVar[str] = "From data and learners"
    tests_data: ClassVar[bool] = True
    request = CrossValidationRequest
    result = CrossValidationResult
    unit: ClassVar[str] = "splits"
    build_other_chunks = staticmethod(cut_calibration)
    run_other = staticmethod(run_calibration)

    def check(self, request: CrossValidationRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
        """Check a request and its calibration; no learner is fitted."""
        super().check(request, datasets)
        check_calibration(request, datasets)

    def list_learners_of_parts(
        self, job: Job[CrossValidationRequest], parts: Collection[str]
    ) -> list[str]:
        """Return the learners of these parts, and the calibration if it is one of them."""
        plan = self.plan(job)
        present = {name for bundle in plan.bundles if bundle.part in parts for name in bundle.names}
        calibration = [CALIBRATION] if CALIBRATION in parts else []
        return [name for name in plan.learners if name in present] + calibration


KIND = CrossValidation(check_request, build_plan, run_group, build_result)
