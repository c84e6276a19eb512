"""Error responses: the one table of HTTP statuses by error class, and the problem documents."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Final
from urllib.parse import urlencode

import orjson
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response

from thetahat import errors as core_errors
from thetahat.errors import EvaluationError
from thetahat_service import errors as service_errors
from thetahat_service.api.page_responses import LOG_IN_PATH, build_page_response, needs_page_error
from thetahat_service.api.shortening import shorten_text, shorten_value
from thetahat_service.errors import FieldError, ServiceError, list_field_errors
from thetahat_service.schemas.validation_messages import describe_error, name_place
from thetahat_service.storage.files import STORE_ERRNOS

log = logging.getLogger(__name__)

MEDIA_TYPE: Final = "application/problem+json"
MAX_DETAIL: Final = 2000
MAX_ERRORS: Final = 50
MAX_LOC_PART: Final = 200

STATUS: Final[dict[type[Exception], int]] = {
    service_errors.MalformedRequest: 400,
    service_errors.NotAuthenticated: 401,
    service_errors.OtherTables: 503,
    service_errors.Forbidden: 403,
    service_errors.ResourceNotFound: 404,
    service_errors.MethodNotAllowed: 405,
    service_errors.NotAcceptable: 406,
    service_errors.ResultPending: 409,
    service_errors.NoResult: 409,
    service_errors.PartsNotKept: 409,
    service_errors.DatasetInUse: 409,
    service_errors.SeriesClosed: 409,
    service_errors.ProtocolInUse: 409,
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
    service_errors.RateLimitExceeded: 429,
    service_errors.QuotaExceeded: 429,
    service_errors.InternalError: 500,
    service_errors.DamagedFile: 500,
    service_errors.SourceFailed: 502,
    service_errors.Unavailable: 503,
}
BY_CODE: Final[dict[str, type[Exception]]] = {
    getattr(cls, "code"): cls  # noqa: B009 - every class of the table has one
    for cls in STATUS
}
BY_FRAMEWORK_STATUS: Final[dict[int, type[ServiceError]]] = {
    404: service_errors.ResourceNotFound,
    405: service_errors.MethodNotAllowed,
    406: service_errors.NotAcceptable,
    413: service_errors.TooLarge,
    415: service_errors.UnsupportedMedia,
    422: service_errors.InvalidRequest,
}


class NoMoreEvents(Exception):
    """The evaluation has ended and the client has received all of its events."""


def find_status(cls: type[Exception]) -> int:
    """Return the HTTP status of an error class, or of the nearest parent that has one."""
    return next((STATUS[base] for base in cls.__mro__ if base in STATUS), 500)


def find_title(cls: type[Exception]) -> str:
    """Return the first paragraph of an error class's docstring, without its full stop."""
    text = (inspect.getdoc(cls) or cls.__name__).split("\n\n")[0]
    return text.replace("\n", " ").replace("`", "").rstrip(".")


def build_problem(request: Request, error: ServiceError | EvaluationError) -> dict[str, Any]:
    """Return the problem document of an error."""
    cls = type(error)
    body = {
        "type": f"/problems/{error.code}",
        "title": find_title(cls),
        "status": find_status(cls),
        "detail": shorten_text(_write_detail(error), MAX_DETAIL),
        "instance": request.url.path,
        "code": error.code,
        "errors": [_describe_field_error(each) for each in list_field_errors(error)[:MAX_ERRORS]],
        "request_id": request.scope.get("request_id", ""),
    }
    return body | error.extra if isinstance(error, ServiceError) else body


def _write_detail(error: ServiceError | EvaluationError) -> str:
    """Return the first fault, and how many more there are."""
    if isinstance(error, ServiceError) or not error.others:
        return error.message
    return f"{error.message} ({len(error.others)} more in errors)"


def respond(request: Request, error: ServiceError | EvaluationError) -> Response:
    """Return the problem document of an error as a response."""
    body = build_problem(request, error)
    if needs_page_error(request.scope):
        return _respond_page(request, body)
    headers: dict[str, str] = {}
    if isinstance(error, ServiceError) and error.retry_after is not None:
        headers["Retry-After"] = str(error.retry_after)
    if body["status"] == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="thetahat"'
    content = orjson.dumps(body, option=orjson.OPT_NON_STR_KEYS)
    return Response(content, body["status"], headers, MEDIA_TYPE)


def _respond_page(request: Request, problem: Mapping[str, Any]) -> Response:
    """Return a problem document as a page; who is not known may log in."""
    if problem["status"] == 401 and request.method == "GET":
        path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"{LOG_IN_PATH}?{urlencode({'next': path})}", 303)
    errors = [
        {"place": "" if path in error["message"] else path, "message": error["message"]}
        for error in problem["errors"]
        if not problem["detail"].startswith(error["message"])
        for path in [".".join(map(str, error["loc"]))]
    ]
    return build_page_response(
        request,
        "error.html",
        problem["status"],
        title=problem["title"],
        detail=problem["detail"],
        errors=errors,
        status_code=problem["status"],
        code=problem["code"],
        request_id=problem["request_id"],
    )


def _describe_field_error(error: FieldError) -> dict[str, Any]:
    """Return one entry of ``errors`` in a problem document."""
    return {
        "loc": [
            part if isinstance(part, int) else shorten_text(str(part), MAX_LOC_PART)
            for part in error.loc
        ],
        "message": shorten_text(error.message, MAX_DETAIL),
        "value": shorten_value(error.value),
    }


async def respond_error(request: Request, error: Exception) -> Response:
    """Respond to an error of the service, of the core or of the database, or to any other."""
    return respond(request, explain_error(error))


async def respond_framework_error(request: Request, error: Exception) -> Response:
    """Respond to an error of the framework, such as an unknown path."""
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for it
    cls = BY_FRAMEWORK_STATUS.get(error.status_code)
    if cls is None and error.status_code >= 500:
        return await respond_error(request, error)
    detail = str(error.detail)
    if error.status_code == 404:
        detail = f"There is nothing at {request.url.path}."
    elif error.status_code == 405:
        detail = f"{request.url.path} does not support {request.method}."
    response = respond(request, (cls or service_errors.MalformedRequest)(detail))
    response.headers.update(error.headers or {})
    if error.status_code == 405:
        response.headers["Allow"] = _find_allowed_methods(request)
    return response


def _find_allowed_methods(request: Request) -> str:
    """Return all methods of a path; the framework's own header has those of one route."""
    path, routes = request.url.path, request.app.state.methods
    # A path of its own, such as /v1/evaluations/batch, is not one of /v1/evaluations/{id}.
    exact_matches = [methods for route_path, _, methods in routes if route_path == path]
    matching = exact_matches or [methods for _, pattern, methods in routes if pattern.match(path)]
    allowed = set().union(*matching)
    if "GET" in allowed:
        allowed.add("HEAD")  # answered by HeadMiddleware
    return ", ".join(sorted(allowed))


async def respond_invalid_parameters(request: Request, error: Exception) -> Response:
    """Respond to invalid query parameters or headers."""
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for it
    errors = build_parameter_errors(error.errors())
    message = errors[0].message if errors else "The request is invalid."
    return respond(request, service_errors.InvalidRequest(message, errors))


def build_parameter_errors(items: Iterable[Any]) -> tuple[FieldError, ...]:
    """Return pydantic's errors of query parameters or headers as field errors."""
    return tuple(
        FieldError(
            tuple(item["loc"]), describe_error(item, name_place(item["loc"])), item.get("input")
        )
        for item in items
    )


async def respond_disconnect(request: Request, error: Exception) -> Response:
    """Respond to a body that was cut off, if the client still listens."""
    del error
    return respond(request, service_errors.MalformedRequest("The body was cut off."))


async def respond_no_more_events(request: Request, error: Exception) -> Response:
    """Respond 204, which tells a browser not to reconnect to a stream of events."""
    del request, error
    return Response(status_code=204)


def explain_error(error: Exception) -> ServiceError | EvaluationError:
    """Return the error that a client is told of: itself, or the database or a fault of ours.

    What clients are not told is logged.
    """
    if isinstance(error, ServiceError | EvaluationError):
        return error
    if isinstance(error, DBAPIError | PoolTimeout):
        log.error("database.unreachable", extra={"reason": repr(error)})
        message = "The database cannot be reached. Try again later."
        return service_errors.Unavailable(message, retry_after=2)
    if isinstance(error, OSError) and error.errno in STORE_ERRNOS:
        log.error("store.failed", exc_info=error)
        return service_errors.Unavailable.from_os_error("The file store does not work", error)
    log.error("request.failed", exc_info=error)
    message = "An internal error occurred; the service's log has the details."
    return service_errors.InternalError(message)


HANDLERS: Final[dict[type[Exception], Callable[[Request, Exception], Awaitable[Response]]]] = {
    ServiceError: respond_error,
    EvaluationError: respond_error,
    HTTPException: respond_framework_error,
    RequestValidationError: respond_invalid_parameters,
    ClientDisconnect: respond_disconnect,
    NoMoreEvents: respond_no_more_events,
    DBAPIError: respond_error,
    PoolTimeout: respond_error,
}
