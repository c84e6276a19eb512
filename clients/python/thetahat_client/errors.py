"""The exceptions of the client.

::

    ThetahatError
    ├── UnknownMediaType      the name of the file to upload has none of the known endings
    ├── InvalidAddress        the address of the service cannot be read
    ├── ConnectionFailed      every attempt to reach the service failed
    ├── UnexpectedAnswer      the answer is not one of this service
    ├── WrongKind             the result is of another kind than the caller has named
    ├── WaitTimeout           the evaluation is still not finished
    ├── EvaluationFailed      the evaluation failed or was cancelled, so there is no result
    └── Refused               the service refused the request and said why
        ├── Unauthorised          401
        ├── NotFound              404
        ├── ResultNotReady        409: ask again later
        ├── TooManyRequests       429 on every attempt
        └── ServiceFault          5xx; 502, 503 and 504 on every attempt
"""

from __future__ import annotations

from thetahat_client.models import Evaluation, Problem


class ThetahatError(Exception):
    """The base class of all exceptions of the client."""


class UnknownMediaType(ThetahatError, ValueError):
    """The name of the file to upload has none of the known endings."""


class InvalidAddress(ThetahatError, ValueError):
    """The address of the service, or of a proxy of the environment, cannot be read."""


class ConnectionFailed(ThetahatError):
    """Every attempt to reach the service failed."""


class UnexpectedAnswer(ThetahatError):
    """The answer is not one of this service, but of a proxy or another program."""


class WrongKind(ThetahatError):
    """The result is of another kind than the caller has named."""

    def __init__(self, evaluation_id: str, expected: str, actual: str) -> None:
        super().__init__(
            f"The result of evaluation {evaluation_id} is of kind {actual!r}, not {expected!r}."
        )


class WaitTimeout(ThetahatError):
    """The evaluation is still not finished; ``evaluation`` is its last known state."""

    def __init__(self, evaluation: Evaluation, seconds: float) -> None:
        status = f"still {evaluation.status} after {seconds:g} seconds"
        super().__init__(f"The evaluation {evaluation.id} is {status}.")
        self.evaluation = evaluation


class EvaluationFailed(ThetahatError):
    """The evaluation failed or was cancelled, so there is no result; ``problem`` says why."""

    def __init__(self, evaluation_id: str, status: str, problem: Problem | None) -> None:
        reason = f": {problem.in_words()}" if problem else "."
        end = "was cancelled" if status == "cancelled" else "failed"
        super().__init__(f"The evaluation {evaluation_id} {end}{reason}")
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
        Seconds after which the service asks for the next attempt.
    attempts : int
        How often the request was sent.
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
    """The request had no valid API key."""


class NotFound(Refused):
    """There is nothing at this address for the owner of the API key."""


class ResultNotReady(Refused):
    """The evaluation has not finished."""


class TooManyRequests(Refused):
    """The service was too busy on every attempt; ``retry_after`` says when to try again."""


class ServiceFault(Refused):
    """The service failed, or a part of it was unavailable on every attempt."""


def build_refusal(problem: Problem, retry_after: float | None, attempts: int) -> Refused:
    """Return the exception for a problem."""
    status = problem.status or 0
    kinds = {401: Unauthorised, 404: NotFound, 429: TooManyRequests}
    kind = ServiceFault if status >= 500 else kinds.get(status, Refused)
    if problem.code == "result_not_ready":
        kind = ResultNotReady
    return kind(problem, retry_after, attempts)
