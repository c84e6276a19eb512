"""Responses compressed with gzip for clients that accept it.

Compressed are JSON, CSV, scripts and figures in SVG from 16 KiB on: a smaller body fits into the
first packets of a connection, and compressing it would take longer than sending it. Images, PDF and
Parquet are compressed already, a stream of events must not wait for more of it, and pages carry
the token of their forms, whose length of compressed text could be measured (the attack BREACH).

A compressed body is another representation, so its strong entity tag has another value: ``"5"``
becomes ``"5-gzip"``. A client that sends this tag back, and still accepts gzip, is answered as if
it had sent ``"5"``; routes know nothing of it.

Starlette's own middleware marks no entity tags, takes ``gzip;q=0`` for a yes, says ``Vary`` for
large bodies alone, and has a list of what not to compress, in which a new kind of page is missing.
"""

from __future__ import annotations

import asyncio
import re
import zlib
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from thetahat_service.api.bodies import GZIP_WINDOW
from thetahat_service.api.media_types import find_quality

SMALLEST: Final = 16 * 1024
LEVEL: Final = 1
"""A result of 17 MB becomes 1.8 MB in 0.15 s; with level 6 it becomes 1.1 MB in 0.38 s."""
INLINE: Final = 32 * 1024  # bytes compressed on the event loop, in less than a millisecond
COMPRESSIBLE: Final = frozenset(
    {
        "application/json",
        "application/problem+json",
        "image/svg+xml",
        "text/css",
        "text/csv",
        "text/javascript",
        "text/plain",
    }
)
GZIP_TAG: Final = re.compile(r'-gzip"')


class CompressionMiddleware:
    """Compresses the responses of an application for which that is worthwhile."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sent_tags = ""
        headers = MutableHeaders(scope=scope)
        accepts = accepts_gzip(headers)
        if accepts:
            sent_tags = _join_values(headers, "if-none-match")
            if "-gzip" in sent_tags:
                headers["if-none-match"] = GZIP_TAG.sub('"', sent_tags)
        response = _Response(send, sent_tags, may_compress=accepts)
        await self._app(scope, receive, response.send)


class _Response:
    """One response on its way to the client; its start waits for the first piece of the body."""

    def __init__(self, send: Send, sent_tags: str, *, may_compress: bool) -> None:
        self._send = send
        self._sent_tags = sent_tags
        self._may_compress = may_compress
        self._start: Message | None = None
        self._compressor: zlib._Compress | None = None

    async def send(self, message: Message) -> None:
        """Send a message of the application."""
        if message["type"] == "http.response.start":
            if not self._is_compressible(message):
                await self._send(message)
                return
            self._start = message
        elif self._start is not None:
            await self._send_first(self._start, message)
            self._start = None
        elif self._compressor is not None and message["type"] == "http.response.body":
            body = await self._compress(message.get("body", b""), is_last=_is_last(message))
            await self._send({**message, "body": body})
        else:
            await self._send(message)

    def _is_compressible(self, message: Message) -> bool:
        """Return whether a response may be compressed; mark it as one that depends on that."""
        headers = MutableHeaders(raw=list(message["headers"]))
        message["headers"] = headers.raw
        if message["status"] == 304:
            self._restore_tag(headers)
            _add_vary(headers)
            return False
        media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type not in COMPRESSIBLE or message["status"] in {204, 206}:
            return False
        if "content-encoding" in headers:
            return False
        _add_vary(headers)
        return self._may_compress

    def _restore_tag(self, headers: MutableHeaders) -> None:
        """Give "unchanged" the tag of the representation that the client has."""
        tag = headers.get("etag", "")
        compressed = _mark_compressed(tag)
        if compressed != tag and compressed in self._sent_tags:
            headers["etag"] = compressed

    async def _send_first(self, start: Message, message: Message) -> None:
        """Send the start and the first piece of the body, compressed if the body is large."""
        body = message.get("body", b"")
        is_body = message["type"] == "http.response.body"
        if not is_body or (_is_last(message) and len(body) < SMALLEST):
            await self._send(start)
            await self._send(message)
            return
        self._compressor = zlib.compressobj(LEVEL, wbits=GZIP_WINDOW)
        compressed = await self._compress(body, is_last=_is_last(message))
        headers = MutableHeaders(raw=start["headers"])
        del headers["content-length"]
        del headers["accept-ranges"]
        headers["content-encoding"] = "gzip"
        if _is_last(message):
            headers["content-length"] = str(len(compressed))
        if "etag" in headers:
            headers["etag"] = _mark_compressed(headers["etag"])
        await self._send(start)
        await self._send({**message, "body": compressed})

    async def _compress(self, body: bytes, *, is_last: bool) -> bytes:
        """Return the next piece of the compressed body; large ones are compressed in a thread."""
        if len(body) <= INLINE:
            return self._compress_now(body, is_last=is_last)
        return await asyncio.to_thread(self._compress_now, body, is_last=is_last)

    def _compress_now(self, body: bytes, *, is_last: bool) -> bytes:
        assert self._compressor is not None  # noqa: S101 - made before the first piece
        compressed = self._compressor.compress(body)
        return compressed + self._compressor.flush() if is_last else compressed


def accepts_gzip(headers: Headers) -> bool:
    """Return whether ``Accept-Encoding`` has gzip, or ``*``, with a quality above 0.

    Without the header nothing is compressed: the simplest clients cannot read it.
    """
    accepted = _join_values(headers, "accept-encoding")
    return find_quality(accepted, ("gzip", "x-gzip", "*")) > 0


def _is_last(message: Message) -> bool:
    return not message.get("more_body", False)


def _mark_compressed(tag: str) -> str:
    """Return the entity tag of the compressed form; a weak tag is the same for both."""
    if tag.startswith("W/") or not tag.endswith('"'):
        return tag
    return tag[:-1] + '-gzip"'


def _join_values(headers: Headers, name: str) -> str:
    """Return the values of a header, with commas between; empty without it."""
    return ", ".join(headers.getlist(name))


def _add_vary(headers: MutableHeaders) -> None:
    """Say that the response depends on ``Accept-Encoding``."""
    names = _join_values(headers, "vary")
    if "accept-encoding" not in names.lower() and names.strip() != "*":
        headers["vary"] = f"{names}, Accept-Encoding" if names else "Accept-Encoding"
