"""Kind ``cross_validation``: fit learners under a resampling scheme, then evaluate their losses."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import ClassVar
from uuid import UUID

import numpy as np

from thetahat.analyses.calibration.studies import CALIBRATION
from thetahat.analyses.losses.by_group import GroupsOfTable
from thetahat.values.layout import Layout
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
    read_groups,
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

    def find_groups_of_losses(
        self, job: Job[CrossValidationRequest], layout: Layout
    ) -> GroupsOfTable | None:
        """Return the groups of kept losses, whose instances are rows of the request or file."""
        groups, labels = read_groups(job.request, job.datasets), layout.instance_labels
        if groups is None or layout.instance is None or labels is None:
            return None
        return groups.take(np.asarray(labels, dtype=np.intp)[layout.instance])


KIND = CrossValidation(check_request, build_plan, run_group, build_result)
