"""The one table from error to HTTP status, and problem documents for everything that goes wrong."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Sequence
from typing import Any, Final

import orjson
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from service import errors as service_errors
from service.api.presentable import presentable, shortened
from service.errors import FieldError, ServiceError
from service.schemas.in_words import in_words
from thetahat import errors as core_errors
from thetahat.errors import EvaluationError

log = logging.getLogger(__name__)

MEDIA_TYPE: Final = "application/problem+json"
LONGEST_DETAIL: Final = 2000
MOST_FAULTS: Final = 50

STATUS: Final[dict[type[Exception], int]] = {
    service_errors.MalformedRequest: 400,
    service_errors.NotAuthenticated: 401,
    service_errors.ResourceNotFound: 404,
    service_errors.MethodNotAllowed: 405,
    service_errors.NotAcceptable: 406,
    service_errors.ResultPending: 409,
    service_errors.NoResult: 409,
    service_errors.DatasetInUse: 409,
    service_errors.EvaluationNotFinished: 409,
    service_errors.IdempotencyRace: 409,
    service_errors.TooLarge: 413,
    service_errors.UnsupportedMedia: 415,
    service_errors.InvalidRequest: 422,
    service_errors.InvalidFile: 422,
    service_errors.IdempotencyMismatch: 422,
    core_errors.InvalidParameter: 422,
    core_errors.InsufficientData: 422,
    core_errors.UnsupportedCombination: 422,
    core_errors.NotConverged: 422,
    core_errors.LearnerFailed: 422,
    service_errors.TooManyJobs: 429,
    service_errors.InternalError: 500,
    service_errors.Unavailable: 503,
}
BY_CODE: Final[dict[str, type[Exception]]] = {
    getattr(cls, "code"): cls  # noqa: B009 - every class of the table has one
    for cls in STATUS
}
OF_FRAMEWORK: Final[dict[int, type[ServiceError]]] = {
    404: service_errors.ResourceNotFound,
    405: service_errors.MethodNotAllowed,
    406: service_errors.NotAcceptable,
    413: service_errors.TooLarge,
    415: service_errors.UnsupportedMedia,
    422: service_errors.InvalidRequest,
}


def status_of(cls: type[Exception]) -> int:
    """Return the status of an error class, or of the nearest class that it is a kind of."""
    return next((STATUS[base] for base in cls.__mro__ if base in STATUS), 500)


def title_of(cls: type[Exception]) -> str:
    """Return the first sentence of an error class's docstring."""
    text = (inspect.getdoc(cls) or cls.__name__).split("\n\n")[0]
    return text.replace("\n", " ").replace("`", "").rstrip(".")


def problem(request: Request, error: ServiceError | EvaluationError) -> Response:
    """Return the problem document of an error."""
    cls, status = type(error), status_of(type(error))
    body = {
        "type": f"/problems/{error.code}",
        "title": title_of(cls),
        "status": status,
        "detail": shortened(error.message, LONGEST_DETAIL),
        "instance": request.url.path,
        "code": error.code,
        "errors": [_fault(fault) for fault in _faults(error)[:MOST_FAULTS]],
        "request_id": request.scope.get("request_id", ""),
    }
    headers: dict[str, str] = {}
    if isinstance(error, ServiceError):
        body |= error.extra
        if error.retry_after is not None:
            headers["Retry-After"] = str(error.retry_after)
    if status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="thetahat"'
    content = orjson.dumps(body, option=orjson.OPT_NON_STR_KEYS)
    return Response(content, status, headers, MEDIA_TYPE)


def _faults(error: ServiceError | EvaluationError) -> Sequence[FieldError]:
    if isinstance(error, ServiceError):
        return error.errors
    return (FieldError(error.loc, error.message, error.value),)


def _fault(fault: FieldError) -> dict[str, Any]:
    return {
        "loc": [part if isinstance(part, int) else shortened(str(part), 200) for part in fault.loc],
        "message": shortened(fault.message, LONGEST_DETAIL),
        "value": presentable(fault.value),
    }


async def on_refusal(request: Request, error: Exception) -> Response:
    """Answer what the service or the core refused."""
    assert isinstance(error, ServiceError | EvaluationError)  # noqa: S101 - registered for these
    return problem(request, error)


async def on_http(request: Request, error: Exception) -> Response:
    """Answer what the framework refused."""
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for it
    cls = OF_FRAMEWORK.get(error.status_code)
    if cls is None:
        cls = service_errors.MalformedRequest if error.status_code < 500 else _internal(error)
    detail = str(error.detail)
    if error.status_code == 404:
        detail = f"There is nothing at {request.url.path}."
    elif error.status_code == 405:
        detail = f"{request.url.path} does not take {request.method}."
    answer = problem(request, cls(detail))
    answer.headers.update(error.headers or {})
    if error.status_code == 405:
        answer.headers["Allow"] = _allowed(request)
    return answer


def _allowed(request: Request) -> str:
    """Return all methods of a path; the framework's own header has those of one route."""
    fitting = [
        methods for path, methods in request.app.state.methods if path.match(request.url.path)
    ]
    return ", ".join(sorted(set().union(*fitting)))


async def on_validation(request: Request, error: Exception) -> Response:
    """Answer query parameters that are not what they should be."""
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for it
    faults = tuple(
        FieldError(tuple(item["loc"]), in_words(item), item.get("input")) for item in error.errors()
    )
    where = ".".join(map(str, faults[0].loc)) if faults else "request"
    message = f"{where}: {faults[0].message}" if faults else "the request is not valid"
    return problem(request, service_errors.InvalidRequest(message, faults))


async def on_database(request: Request, error: Exception) -> Response:
    """Answer while the database is away or its tables are not those of this release."""
    log.error("database.away", extra={"reason": repr(error)})
    return problem(request, service_errors.Unavailable("The database is away.", retry_after=2))


async def on_disconnect(request: Request, error: Exception) -> Response:
    """Answer, if anybody still listens, a body that was cut off."""
    del error
    return problem(request, service_errors.MalformedRequest("The body was cut off."))


def internal(request: Request, error: Exception) -> Response:
    """Answer a fault of the service, whose trace goes to the log alone."""
    return problem(request, _internal(error)("The service failed; its log has the reason."))


def _internal(error: Exception) -> type[ServiceError]:
    log.error("request.failed", exc_info=error)
    return service_errors.InternalError


HANDLERS: Final[dict[int | type[Exception], Any]] = {
    ServiceError: on_refusal,
    EvaluationError: on_refusal,
    HTTPException: on_http,
    RequestValidationError: on_validation,
    ClientDisconnect: on_disconnect,
    DBAPIError: on_database,
    PoolTimeout: on_database,
}
