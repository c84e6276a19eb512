"""What every request passes: an id, the owner's right, and a last catch for faults."""

from __future__ import annotations

import re
import secrets
from typing import Final

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.auth import Authenticator
from service.api.calls import ask
from service.api.errors import HANDLERS, internal

GUARDED: Final = "/v1/"
REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")


class Gate:
    """The outermost layer.

    A path under ``/v1/`` is answered only after its owner is known, whatever route it leads to,
    so a new route cannot forget to ask.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._authenticator = Authenticator()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        identifier = _request_id(scope)
        scope["request_id"] = identifier
        started = False

        async def send_with_id(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"].append((b"x-request-id", identifier.encode()))
            await send(message)

        try:
            if scope["path"].startswith(GUARDED):
                scope["owner_id"] = await ask(self._authenticator.owner_of, scope)
            await self._app(scope, receive, send_with_id)
        except Exception as error:
            if started:
                raise
            request = Request(scope)
            handler = next((h for c, h in HANDLERS.items() if _is_a(error, c)), None)
            answer = await handler(request, error) if handler else internal(request, error)
            await answer(scope, receive, send_with_id)


def _is_a(error: Exception, cls: int | type[Exception]) -> bool:
    return isinstance(cls, type) and isinstance(error, cls)


def _request_id(scope: Scope) -> str:
    """Return the client's own id where it is harmless, or a new one."""
    for name, value in scope["headers"]:
        if name == b"x-request-id":
            given: str = value.decode("latin-1")
            if REQUEST_ID.fullmatch(given):
                return given
    return secrets.token_hex(8)
