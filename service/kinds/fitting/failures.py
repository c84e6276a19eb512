"""Learners that failed alone, and the error of an evaluation in which all of them did."""

from __future__ import annotations

from dataclasses import dataclass

from service.jobs.failures import build_problem
from service.kinds.base import AllPartsFailed
from thetahat.errors import EvaluationError, Loc


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerFailure:
    """Why a learner is not part of the result.

    Parameters
    ----------
    code : str
        The code of the error.
    message : str
        Its sentence.
    loc : tuple
        The path of the learner in the request.
    candidates : int or None
        Number of candidates, where all candidates of a grid failed.
    """

    code: str
    message: str
    loc: Loc
    candidates: int | None = None

    def as_error(self) -> Exception:
        """Return the error that an evaluation raises in which every learner failed."""
        for kind in EvaluationError.__subclasses__():
            if kind.code == self.code:
                return kind(self.message, loc=self.loc)
        return AllPartsFailed(build_problem(self.code, self.message))
