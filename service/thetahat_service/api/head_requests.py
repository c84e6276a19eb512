"""HEAD requests: every path that has GET answers HEAD with the same headers and no body."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class HeadMiddleware:
    """Answers HEAD by the route for GET, whose body is not sent.

    A body that the route produces piece by piece ends with its first piece, so HEAD neither reads a
    large file to its end nor waits for events.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        # A copy, because the server looks at the method in its own scope.
        as_get = {**scope, "method": "GET"}
        is_cut = False

        async def send_headers(message: Message) -> None:
            nonlocal is_cut
            if is_cut:
                return
            if message["type"] == "http.response.start":
                scope.update({**as_get, "method": "HEAD"})  # the route, for log and metrics
                await send(message)
            elif message["type"] == "http.response.body":
                is_cut = True
                await send({"type": "http.response.body", "body": b""})
                if message.get("more_body", False):
                    response.cancel()

        response = asyncio.ensure_future(self._app(as_get, receive, send_headers))
        try:
            await response
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if not is_cut or (caller is not None and caller.cancelling()):
                raise
