"""The error of an evaluation in which every learner failed."""

from __future__ import annotations

from thetahat.cross_validation import LearnerFailure
from thetahat.errors import EvaluationError
from thetahat_service.kinds.base import AllPartsFailed
from thetahat_service.outcomes.failures import build_problem


def convert_to_error(failure: LearnerFailure) -> Exception:
    """Return the error that an evaluation raises in which every learner failed."""
    for kind in EvaluationError.__subclasses__():
        if kind.code == failure.code:
            return kind(failure.message, loc=failure.loc)
    return AllPartsFailed(build_problem(failure.code, failure.message))
