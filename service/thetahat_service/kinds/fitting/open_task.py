"""The task of a request that leaves it open: what its learners serve, else what its target shows.

The check of a request and the plan of a job decide alike; the stored request is that of the user.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar
from uuid import UUID

from thetahat.analyses.cross_validation.tasks import DecidedTask, decide_task
from thetahat_service.kinds.base import DatasetFile, Job
from thetahat_service.kinds.fields.data import profile_target
from thetahat_service.kinds.fields.learners import FitsRequest

F = TypeVar("F", bound=FitsRequest)


def set_task(request: F, datasets: Mapping[UUID, DatasetFile]) -> F:
    """Return the request with its task."""
    if request.task is not None:
        return request
    return request.model_copy(update={"task": _decide(request, datasets).task})


def set_task_of_job(job: Job[F]) -> Job[F]:
    """Return the job with the task of its request, and why it is this one."""
    if job.request.task is not None:
        return job
    decided = _decide(job.request, job.datasets)
    request = job.request.model_copy(update={"task": decided.task})
    return replace(job, request=request, decisions=decided.cautions)


def _decide(request: FitsRequest, datasets: Mapping[UUID, DatasetFile]) -> DecidedTask:
    return decide_task(request.fitted_learners, lambda: profile_target(request, datasets))
