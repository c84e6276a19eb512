"""Kind ``ladder``: a submission to a Ladder on one holdout."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar
from uuid import UUID

from thetahat_service.json_types import JsonObject
from thetahat_service.kinds.base import DatasetFile, Finished, Job, JobKind
from thetahat_service.kinds.ladder.plan import build_submission, check_request, parse_loss
from thetahat_service.kinds.ladder.request import LadderRequest
from thetahat_service.kinds.ladder.result import PublishedScore
from thetahat_service.kinds.methods_used import record_method


class LadderSubmissions(JobKind[LadderRequest]):
    """Submissions whose losses are kept for the Ladder alone."""

    name: ClassVar[str] = "ladder"
    title: ClassVar[str] = "Submission to a Ladder"
    request = LadderRequest
    result = PublishedScore

    def complete_request(self, owner_id: UUID, body: JsonObject) -> JsonObject:
        """Return the body with this kind: a request of predictions may have come here."""
        del owner_id
        return {**body, "kind": self.name}

    def check(self, request: LadderRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
        """Check the form of a request and the names of columns."""
        check_request(request, datasets[request.dataset])

    def start(self, job: Job[LadderRequest]) -> Finished:
        """Compute the losses, which the Ladder decides on."""
        submission = build_submission(job.request, job.datasets[job.request.dataset])
        methods = (record_method("losses", parse_loss(job.request)),)
        first = submission.publish(submission.add_to(None), None)
        return Finished(first, methods=methods, submission=submission)


KIND = LadderSubmissions()
