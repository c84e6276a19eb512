"""A job as the key of what was built for it last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from service.kinds.base import Job
from service.schemas.base import EvaluationRequest

R = TypeVar("R", bound=EvaluationRequest)


@dataclass(frozen=True, slots=True)
class JobKey(Generic[R]):
    """A job with its request, equal to another of the same id."""

    job: Job[Any]
    given: R

    def __hash__(self) -> int:
        return hash(self.job.id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JobKey) and other.job.id == self.job.id
