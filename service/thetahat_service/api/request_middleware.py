"""The middleware of every request: request id, authentication, and errors that nothing handled."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Final
from uuid import UUID

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from thetahat_service.api import rate_limits
from thetahat_service.api.auth import Authenticator
from thetahat_service.api.blocking_calls import read_database, write_database
from thetahat_service.api.deprecations import find_deprecation_headers
from thetahat_service.api.errors import HANDLERS, respond_error
from thetahat_service.api.metrics import find_route_path, observe_request
from thetahat_service.api.page_responses import is_page_path, wants_html
from thetahat_service.api.preload import may_need_slow_modules, wait_until_loaded
from thetahat_service.api.rate_limits import LONGEST_DELAY_S, Allowance, RequestRates, WrongKeys
from thetahat_service.errors import NotAuthenticated, RateLimitExceeded
from thetahat_service.process import tracing
from thetahat_service.process.request_context import CALLER, REQUEST_ID, Caller
from thetahat_service.settings import get_settings
from thetahat_service.storage import api_keys
from thetahat_service.storage.audit import Action
from thetahat_service.storage.unit_of_work import unit_of_work

if TYPE_CHECKING:
    from thetahat_service.process.spans import RequestSpan

log = logging.getLogger("service.access")

AUTHENTICATED_PATHS: Final = ("/v1/", "/metrics")
SECURITY_HEADERS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
)
"""Headers of every response that does not set them itself; pages have their own policy."""
EVALUATION_PATH: Final = re.compile(r".*/v1/evaluations/([0-9a-f]{8}(?:-[0-9a-f]{4,12}){4})")
VALID_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")


def needs_caller(scope: Scope) -> bool:
    """Return whether only an authenticated sender gets an answer to a request."""
    path = scope["path"]
    if path == "/":
        return wants_html(scope)
    return path.startswith(AUTHENTICATED_PATHS) or is_page_path(path)


class RequestMiddleware:
    """The outermost layer of the application.

    It authenticates every request to ``/metrics``, under ``/v1/`` or for a page before it is
    routed, so a new route cannot forget to do it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._authenticator = Authenticator()
        self._wrong_keys = WrongKeys()
        self._rates: RequestRates | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with tracing.trace_request(scope["method"], _find_header(scope, b"traceparent")) as span:
            await self._answer(scope, receive, send if span is None else _record(span, scope, send))

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        identifier = _request_id(scope)
        scope["request_id"] = identifier
        REQUEST_ID.set(identifier)
        is_started = False
        status: int | None = None
        allowance: Allowance | None = None

        async def send_with_id(message: Message) -> None:
            nonlocal is_started, status
            if message["type"] == "http.response.start":
                is_started = True
                status = message["status"]
                add_headers(message["headers"], identifier, allowance)
                message["headers"] += find_deprecation_headers(scope)
            await send(message)

        began = time.perf_counter()
        try:
            if may_need_slow_modules(scope["path"], scope["query_string"]):
                await wait_until_loaded()
            scope["authenticator"] = self._authenticator
            scope["delay_wrong_key"] = partial(self._delay_wrong_key, scope)
            if needs_caller(scope):
                caller = await self._authenticate(scope)
                allowance = self._count_request(caller)
            await self._app(scope, receive, send_with_id)
        except Exception as error:
            if is_started:
                raise
            request = Request(scope)
            handlers = (h for cls, h in HANDLERS.items() if isinstance(error, cls))
            response = await next(handlers, respond_error)(request, error)
            await response(scope, receive, send_with_id)
        finally:
            seconds = time.perf_counter() - began
            observe_request(scope, status, seconds)
            if get_settings().access_log:
                _log_access(scope, status, seconds)

    async def _authenticate(self, scope: Scope) -> Caller:
        """Return the sender of a request, and store it for the routes and the log.

        A wrong key is refused after a delay, which grows with each wrong key of the same address.
        """
        try:
            caller = await read_database(self._authenticator.authenticate, scope)
        except NotAuthenticated as error:
            if error.wrong_key is None:
                raise
            await self._delay_wrong_key(scope, error.wrong_key, Action.REFUSE_KEY)
            raise
        CALLER.set(caller)
        scope["caller"], scope["owner_id"] = caller, caller.owner_id
        scope["authenticate"] = self._authenticator.authenticate
        return caller

    async def _delay_wrong_key(self, scope: Scope, described: str, action: Action) -> None:
        """Record a wrong key, and wait before it is refused.

        ``RateLimitExceeded`` if too many requests wait.
        """
        client = scope.get("client")
        address = client[0] if client else "unknown"
        log.warning("auth.wrong_key", extra={"key": described, "client": address})
        delay = self._wrong_keys.count(address)
        if self._wrong_keys.are_too_many:
            raise RateLimitExceeded(
                "Too many requests with wrong API keys wait for their answer.",
                retry_after=ceil(LONGEST_DELAY_S),
            )
        self._wrong_keys.waiting += 1
        try:
            if self._wrong_keys.should_record(address, described, action):
                await write_database(_record_wrong_key, described, action, address)
            await asyncio.sleep(delay)
        finally:
            self._wrong_keys.waiting -= 1

    def _count_request(self, caller: Caller) -> Allowance | None:
        """Count a request of an owner; ``RateLimitExceeded`` over the rate of the settings."""
        per_second = get_settings().rate_per_s
        if per_second == 0:
            return None
        if self._rates is None or self._rates.per_second != per_second:
            self._rates = RequestRates(per_second)
        allowance = self._rates.take(caller.owner_id)
        if allowance.retry_after_s:
            raise RateLimitExceeded(
                f"More than {per_second:g} requests per second came from this owner.",
                retry_after=ceil(allowance.retry_after_s),
            )
        return allowance


def _record_wrong_key(described: str, action: Action, address: str) -> None:
    with unit_of_work() as connection:
        api_keys.record_wrong_key(connection, described, action, address)


def add_headers(
    headers: list[tuple[bytes, bytes]], request_id: str, allowance: Allowance | None
) -> None:
    """Add the headers that every response has to those that a route has set."""
    present = {name.lower() for name, _ in headers}
    headers.append((b"x-request-id", request_id.encode()))
    headers += [(name, value) for name, value in SECURITY_HEADERS if name not in present]
    if allowance is not None:
        policy = f'"owner";q={allowance.limit};w={rate_limits.WINDOW_S}'
        remaining = f'"owner";r={max(0, allowance.remaining)};t={ceil(allowance.reset_s)}'
        headers += [(b"ratelimit-policy", policy.encode()), (b"ratelimit", remaining.encode())]


def _log_access(scope: Scope, status: int | None, seconds: float) -> None:
    """Log a request; without a status, the client had gone before the response began."""
    client = scope.get("client")
    log.info(
        "http.request",
        extra={
            "method": scope["method"],
            "path": scope["path"],
            "status": status,
            "seconds": f"{seconds:.4f}",
            "client": client[0] if client else None,
        },
    )


def _record(span: RequestSpan, scope: Scope, send: Send) -> Send:
    """Return a function that sends a response and completes the span of its request.

    The span is linked to the evaluation that the request made, which ``Location`` names.
    """

    async def send_and_record(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = {name.lower(): value.decode("latin-1") for name, value in message["headers"]}
            identifier = headers[b"x-request-id"]
            span.set_response(
                scope["method"], find_route_path(scope), message["status"], identifier
            )
            if match := EVALUATION_PATH.fullmatch(headers.get(b"location", "")):
                span.set_evaluation(UUID(match[1]))
        await send(message)

    return send_and_record


def _request_id(scope: Scope) -> str:
    """Return the id that the client sent if it is valid, or a new one."""
    client_id = _find_header(scope, b"x-request-id")
    if client_id is not None and VALID_REQUEST_ID.fullmatch(client_id):
        return client_id
    return secrets.token_hex(8)


def _find_header(scope: Scope, header: bytes) -> str | None:
    """Return the first header of a name."""
    return next((v.decode("latin-1") for name, v in scope["headers"] if name == header), None)
