"""The middleware of every request: request id, authentication, and errors that nothing handled."""

from __future__ import annotations

import logging
import re
import secrets
import time
from typing import Final

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.auth import Authenticator
from service.api.blocking_calls import read_database
from service.api.errors import HANDLERS, respond_internal_error
from service.api.preload import wait_until_loaded
from service.process.request_context import REQUEST_ID
from service.settings import settings

log = logging.getLogger("service.access")

AUTHENTICATED_PATHS: Final = "/v1/"
HEALTH_PATH: Final = "/healthz"
VALID_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")


class RequestMiddleware:
    """The outermost layer of the application.

    It authenticates every request to a path under ``/v1/`` before it is routed, so a new route
    cannot forget to do it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._authenticator = Authenticator()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        identifier = _request_id(scope)
        scope["request_id"] = identifier
        REQUEST_ID.set(identifier)
        is_started = False
        status: int | None = None

        async def send_with_id(message: Message) -> None:
            nonlocal is_started, status
            if message["type"] == "http.response.start":
                is_started = True
                status = message["status"]
                message["headers"].append((b"x-request-id", identifier.encode()))
            await send(message)

        began = time.perf_counter()
        try:
            if scope["path"] != HEALTH_PATH:
                await wait_until_loaded()
            if scope["path"].startswith(AUTHENTICATED_PATHS):
                scope["owner_id"] = await read_database(self._authenticator.authenticate, scope)
            await self._app(scope, receive, send_with_id)
        except Exception as error:
            if is_started:
                raise
            request = Request(scope)
            handler = next((h for cls, h in HANDLERS.items() if isinstance(error, cls)), None)
            if handler is None:
                response = respond_internal_error(request, error)
            else:
                response = await handler(request, error)
            await response(scope, receive, send_with_id)
        finally:
            if settings().access_log:
                _log_access(scope, status, time.perf_counter() - began)


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


def _request_id(scope: Scope) -> str:
    """Return the id that the client sent if it is valid, or a new one."""
    for name, value in scope["headers"]:
        if name == b"x-request-id":
            sent: str = value.decode("latin-1")
            if VALID_REQUEST_ID.fullmatch(sent):
                return sent
    return secrets.token_hex(8)
