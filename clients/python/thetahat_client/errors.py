"""What can go wrong, as exceptions.

::

    ThetahatError
    ├── ConnectionFailed      the service could not be reached, or broke off, on every attempt
    ├── UnexpectedAnswer      what answered is not this service
    ├── WaitTimeout           the evaluation is still not finished
    ├── EvaluationFailed      the evaluation failed or was cancelled, so there is no result
    └── Refused               the service's problem document says why
        ├── Unauthorised          401
        ├── NotFound              404
        ├── ResultNotReady        409: ask again later
        ├── TooManyRequests       429, on every attempt
        └── ServiceFault          5xx; 502, 503 and 504 on every attempt
"""

from __future__ import annotations

from thetahat_client.models import Evaluation, Problem


class ThetahatError(Exception):
    """Anything that went wrong."""


class ConnectionFailed(ThetahatError):
    """The service could not be reached, or broke off, on every attempt."""


class UnexpectedAnswer(ThetahatError):
    """What answered does not speak as the service does: a proxy's page, another program."""


class WaitTimeout(ThetahatError):
    """The evaluation is still not finished; ``evaluation`` is its last known state."""

    def __init__(self, evaluation: Evaluation, seconds: float) -> None:
        super().__init__(
            f"evaluation {evaluation.id} is still {evaluation.status} after {seconds:g} seconds"
        )
        self.evaluation = evaluation


class EvaluationFailed(ThetahatError):
    """The evaluation failed or was cancelled, so there is no result; ``problem`` says why."""

    def __init__(self, evaluation_id: str, status: str, problem: Problem | None) -> None:
        reason = f": {problem.in_words()}" if problem else ""
        was = "was cancelled" if status == "cancelled" else "failed"
        super().__init__(f"evaluation {evaluation_id} {was}{reason}")
        self.evaluation_id = evaluation_id
        self.status = status
        self.problem = problem


class Refused(ThetahatError):
    """The service refused; ``problem`` is its problem document.

    Parameters
    ----------
    problem : Problem
        Its ``type``, ``title``, ``status``, ``detail`` and ``errors`` are attributes here too.
    retry_after : float or None
        Seconds after which the service wants to be asked again.
    attempts : int
        How often it was asked.
    """

    def __init__(
        self, problem: Problem, retry_after: float | None = None, attempts: int = 1
    ) -> None:
        super().__init__(problem.in_words())
        self.problem = problem
        self.type = problem.type
        self.title = problem.title
        self.status = problem.status
        self.detail = problem.detail
        self.errors = problem.errors
        self.retry_after = retry_after
        self.attempts = attempts


class Unauthorised(Refused):
    """No valid API key came with the request."""


class NotFound(Refused):
    """There is no such thing, or it belongs to another owner."""


class ResultNotReady(Refused):
    """The evaluation has not finished."""


class TooManyRequests(Refused):
    """The service has too much to do, on every attempt; ``retry_after`` says when to come back."""


class ServiceFault(Refused):
    """The service failed, or a part of it was away on every attempt."""


def refusal(problem: Problem, retry_after: float | None, attempts: int) -> Refused:
    """Return the exception for a problem."""
    status = problem.status or 0
    kinds = {401: Unauthorised, 404: NotFound, 429: TooManyRequests}
    kind = ServiceFault if status >= 500 else kinds.get(status, Refused)
    if problem.code == "result_not_ready":
        kind = ResultNotReady
    return kind(problem, retry_after, attempts)
