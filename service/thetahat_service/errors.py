"""The errors of the service, each with a stable code.

::

    ServiceError
    ├── ResourceNotFound       no such resource, or another owner's
    ├── ResultPending          the evaluation has not finished
    ├── NoResult               the evaluation failed or was cancelled
    ├── PartsNotKept           what a part of a result is computed from is not kept
    ├── DatasetInUse           a queued or running evaluation reads the data set
    ├── IdempotencyRace        the first request with this key has not been answered yet
    ├── SeriesClosed           the series takes no more batches
    ├── ProtocolInUse          an evaluation or a series names the protocol
    ├── EvaluationNotFinished  only finished evaluations can be deleted
    ├── MalformedRequest       the body or a header cannot be parsed
    ├── InvalidRequest         a field is invalid; ``errors`` has each place and value
    ├── InvalidFile            a file does not have the format of its content type
    ├── IdempotencyMismatch    the key was used with another body
    ├── TooLarge               a body over the limit
    ├── UnsupportedMedia       a content type that is not supported
    ├── NotAcceptable          none of the media types that the client accepts
    ├── TooManyJobs            the owner has too many unfinished evaluations
    ├── NotAuthenticated       no valid API key
    ├── Forbidden              the scope of the key does not allow the request
    ├── RateLimitExceeded      more requests than the rate allows
    ├── QuotaExceeded          the owner's data sets use all their room
    ├── MethodNotAllowed       the path does not support this HTTP method
    ├── SourceFailed           the host of an imported data set does not send it
    ├── InternalError          a fault of the service itself
    ├── OtherTables            the database tables are those of another release
    └── Unavailable            the database or the file store cannot be reached
        └── DamagedFile        a stored file is missing or was changed

The first sentence of a class's docstring is the title of its problem documents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any, ClassVar, NamedTuple, TypeVar

from thetahat import errors
from thetahat.errors import EvaluationError

V = TypeVar("V")
R = TypeVar("R")


class FieldError(NamedTuple):
    """One invalid place of a request: its path, what is wrong, and the value that was sent.

    Where the message asks whether a known name was meant, ``proposed`` is that name.
    """

    loc: tuple[str | int, ...]
    message: str
    value: Any = None
    proposed: str | None = None


@dataclass(eq=False)
class ServiceError(Exception):
    """An error with a message for the client."""

    message: str
    errors: tuple[FieldError, ...] = ()
    retry_after: int | None = None
    code: ClassVar[str] = "service_error"
    extra: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.message


def list_field_errors(error: ServiceError | EvaluationError) -> tuple[FieldError, ...]:
    """Return the invalid places that an error names."""
    if isinstance(error, ServiceError):
        return error.errors
    return tuple(FieldError(each.loc, each.message, each.value) for each in (error, *error.others))


def run_checks(*checks: Callable[[], object]) -> None:
    """Run checks that do not depend on each other, and raise all their faults as one error."""
    faults: list[InvalidRequest | EvaluationError] = []
    for check in checks:
        try:
            check()
        except (InvalidRequest, EvaluationError) as error:
            faults.append(error)
    if not faults:
        return
    if len(faults) == 1:
        raise faults[0]
    library = [error for error in faults if isinstance(error, EvaluationError)]
    if len(library) == len(faults):
        errors.run_checks(*(partial(_raise, error) for error in library))
    fields = chain.from_iterable(list_field_errors(error) for error in faults)
    once = {(each.loc, each.message): each for each in fields}
    raise InvalidRequest(faults[0].message, tuple(once.values()))


def read_each(read: Callable[[str, V], R], values: Mapping[str, V]) -> dict[str, R]:
    """Read values that do not depend on each other by their names, and raise all faults as one."""
    found: dict[str, R] = {}

    def keep(name: str) -> None:
        found[name] = read(name, values[name])

    run_checks(*(partial(keep, name) for name in values))
    return found


def _raise(error: EvaluationError) -> None:
    raise error


class ResourceNotFound(ServiceError):
    """Not found."""

    code = "not_found"


class ResultPending(ServiceError):
    """The evaluation has not finished."""

    code = "result_not_ready"


class NoResult(ServiceError):
    """The evaluation failed or was cancelled, so it has no result."""

    code = "no_result"


class PartsNotKept(ServiceError):
    """What a part of the result is computed from is not kept."""

    code = "parts_not_kept"


class DatasetInUse(ServiceError):
    """A queued or running evaluation reads the data set."""

    code = "dataset_in_use"


class SeriesClosed(ServiceError):
    """The series takes no more batches."""

    code = "series_closed"


class ProtocolInUse(ServiceError):
    """An evaluation or a series names the protocol."""

    code = "protocol_in_use"


class EvaluationNotFinished(ServiceError):
    """Only a finished evaluation can be deleted."""

    code = "evaluation_not_finished"


class IdempotencyRace(ServiceError):
    """The first request with this idempotency key has not been answered yet."""

    code = "idempotency_race"


class IdempotencyMismatch(ServiceError):
    """The idempotency key was used before with another body."""

    code = "idempotency_mismatch"


class MalformedRequest(ServiceError):
    """The body or a header cannot be parsed.

    The JSON is invalid or nested too deeply, or the body was cut off.
    """

    code = "malformed_request"


class InvalidRequest(ServiceError):
    """A field of the request is invalid."""

    code = "invalid_request"


class InvalidFile(ServiceError):
    """The file is damaged, or does not have the format that its content type says."""

    code = "invalid_file"


class TooLarge(ServiceError):
    """The body is larger than the limit."""

    code = "too_large"


class UnsupportedMedia(ServiceError):
    """The content type is not supported."""

    code = "unsupported_media_type"


class NotAcceptable(ServiceError):
    """None of the available media types is in the Accept header."""

    code = "not_acceptable"


class SourceFailed(ServiceError):
    """The host from which a data set was to be imported did not send it."""

    code = "source_failed"


class TooManyJobs(ServiceError):
    """The owner has too many unfinished evaluations."""

    code = "too_many_jobs"


@dataclass(eq=False)
class OtherTables(ServiceError):
    """The database tables are those of another release."""

    code = "other_tables"


@dataclass(eq=False)
class NotAuthenticated(ServiceError):
    """The request has no valid API key."""

    wrong_key: str | None = None
    """The beginning of the key that the request has and that is not in force; for the service
    alone."""

    code = "unauthorised"


class Forbidden(ServiceError):
    """The scope of the API key does not allow the request."""

    code = "forbidden"


class RateLimitExceeded(ServiceError):
    """The owner has sent more requests than the rate allows, or a client too many wrong keys."""

    code = "too_many_requests"


class QuotaExceeded(ServiceError):
    """The owner has as many data sets, webhooks or series as an owner may have."""

    code = "quota_exceeded"


class MethodNotAllowed(ServiceError):
    """The path does not support this HTTP method; ``Allow`` lists those that it supports."""

    code = "method_not_allowed"


class InternalError(ServiceError):
    """An error inside the service; its log has the details under the request's id."""

    code = "internal_error"


@dataclass(eq=False)
class Unavailable(ServiceError):
    """The database or the file store cannot be reached.

    This is the one class for faults of the infrastructure: the same work succeeds once the fault is
    over. Clients are told to retry, workers repeat the work, and no learner is recorded as failed.
    Raise it ``from`` the error that caused it.
    """

    retry_after: int | None = 5
    code: ClassVar[str] = "unavailable"

    @classmethod
    def from_os_error(cls, action: str, error: OSError) -> Unavailable:
        """Return the error of an action on the file store that the operating system refused.

        ``action`` says what failed, such as ``"The file cannot be stored"``. Of ``error`` only the
        reason is shown, because its paths are not for clients.
        """
        return cls(f"{action}: {error.strerror or type(error).__name__}.")


@dataclass(eq=False)
class DamagedFile(Unavailable):
    """A stored file is missing, or does not match its checksum.

    Chunks of an evaluation that still runs are computed again, and converted tables are made again.
    Upload a damaged data set again to repair it.
    """

    retry_after: int | None = None
    name: str = ""
    code: ClassVar[str] = "damaged_file"
