"""What the service can refuse, by stable code.

::

    ServiceError
    ├── NotFound            no such thing, or another owner's
    ├── Conflict            the thing's state forbids it
    │   ├── ResultNotReady       the evaluation has not finished
    │   ├── NoResult             the evaluation failed or was cancelled
    │   ├── DatasetInUse         a queued or running evaluation needs it
    │   ├── IdempotencyRace      the first request with this key is still being answered
    │   └── EvaluationNotFinished  only finished evaluations can be deleted
    ├── MalformedRequest    the body or a header cannot be read at all
    ├── InvalidRequest      a field is wrong; ``errors`` names each place and value
    ├── InvalidFile         a file is not what its type says
    ├── IdempotencyMismatch the same key with another body
    ├── TooLarge            a body over the limit
    ├── UnsupportedMedia    a content type that is not read here
    ├── NotAcceptable       no representation that the client accepts
    ├── TooManyJobs         the owner's queue is full
    ├── Unauthorised        no valid API key
    ├── MethodNotAllowed    the path does not take this method
    ├── InternalError       a fault of the service itself
    └── Unavailable         the database is away
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class Fault:
    """One wrong place in a request: where, what, and the value found there."""

    loc: tuple[str | int, ...]
    message: str
    value: Any = None


@dataclass(eq=False)
class ServiceError(Exception):
    """A refusal, in words for the person who asked."""

    message: str
    errors: tuple[Fault, ...] = ()
    retry_after: int | None = None
    code: ClassVar[str] = "service_error"
    extra: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.message


class NotFound(ServiceError):
    """There is no such thing, or it belongs to another owner."""

    code = "not_found"


class ResultNotReady(ServiceError):
    """The evaluation has not finished."""

    code = "result_not_ready"


class NoResult(ServiceError):
    """The evaluation failed or was cancelled, so there is no result."""

    code = "no_result"


class DatasetInUse(ServiceError):
    """A queued or running evaluation uses the data set."""

    code = "dataset_in_use"


class EvaluationNotFinished(ServiceError):
    """Only a finished evaluation can be deleted."""

    code = "evaluation_not_finished"


class IdempotencyRace(ServiceError):
    """The first request with this key is still being answered."""

    code = "idempotency_race"


class IdempotencyMismatch(ServiceError):
    """The key was used before with another body."""

    code = "idempotency_mismatch"


class MalformedRequest(ServiceError):
    """The body or a header cannot be read: broken JSON, too deep a nesting, an upload cut off."""

    code = "malformed_request"


class InvalidRequest(ServiceError):
    """A field of the request is wrong."""

    code = "invalid_request"


class InvalidFile(ServiceError):
    """The file is not what its content type says, or is broken."""

    code = "invalid_file"


class TooLarge(ServiceError):
    """The body is over the limit."""

    code = "too_large"


class UnsupportedMedia(ServiceError):
    """The content type is not one that is read here."""

    code = "unsupported_media_type"


class NotAcceptable(ServiceError):
    """There is no representation that the client accepts."""

    code = "not_acceptable"


class TooManyJobs(ServiceError):
    """The owner has too many unfinished evaluations."""

    code = "too_many_jobs"


class Unauthorised(ServiceError):
    """No valid API key came with the request."""

    code = "unauthorised"


class MethodNotAllowed(ServiceError):
    """The path does not take this method; ``Allow`` names those that it takes."""

    code = "method_not_allowed"


class InternalError(ServiceError):
    """A fault of the service; its log has the trace under the request's id."""

    code = "internal_error"


class Unavailable(ServiceError):
    """The database or the file store is away."""

    code = "unavailable"
