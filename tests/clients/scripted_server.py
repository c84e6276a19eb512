"""A server with scripted replies, which keeps the requests that it receives."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

PROBLEM = "application/problem+json"


@dataclass(frozen=True)
class Reply:
    """One answer; ``drop`` closes the connection instead."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    drop: bool = False


DROP = Reply(drop=True)


def problem(status: int, code: str, detail: str = "no", **members: Any) -> Reply:
    """Return a refusal as the service makes them; ``retry_after`` becomes the header."""
    headers = {"Content-Type": PROBLEM}
    if "retry_after" in members:
        headers["Retry-After"] = str(members.pop("retry_after"))
    body = {"type": f"/problems/{code}", "code": code, "title": code, "status": status}
    return Reply(status, {**body, "detail": detail, "errors": [], **members}, headers)


@dataclass
class ReceivedRequest:
    """A request that the stub has received."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: bytes


class Stub:
    """Answers with its replies in turn, and then always with the last one."""

    def __init__(self, replies: list[Reply]) -> None:
        self.replies = replies
        self.requests: list[ReceivedRequest] = []
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                stub.answer(self)

            do_GET = do_POST = do_DELETE = _answer  # noqa: N815 - the base class looks for them

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
                """Say nothing."""

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Keep the request and send the next reply."""
        parts = urlsplit(handler.path)
        headers = {key.lower(): value for key, value in handler.headers.items()}
        body = _body(handler, headers)
        self.requests.append(
            ReceivedRequest(handler.command, parts.path, parse_qs(parts.query), headers, body)
        )
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if reply.drop:
            handler.connection.shutdown(socket.SHUT_RDWR)
            return
        text = b"" if reply.body is None else _encoded(reply.body)
        handler.send_response(reply.status)
        for key, value in {"Content-Type": "application/json", **reply.headers}.items():
            handler.send_header(key, value)
        handler.end_headers()
        handler.wfile.write(text)


def _encoded(body: Any) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()


def _body(handler: BaseHTTPRequestHandler, headers: dict[str, str]) -> bytes:
    if headers.get("transfer-encoding") != "chunked":
        return handler.rfile.read(int(headers.get("content-length", 0)))
    pieces = b""
    while size := int(handler.rfile.readline(), 16):
        pieces += handler.rfile.read(size)
        handler.rfile.readline()
    handler.rfile.readline()
    return pieces


@contextmanager
def run_stub(*replies: Reply) -> Iterator[Stub]:
    """Run a stub until the block ends."""
    stub = Stub(list(replies))
    thread = threading.Thread(target=stub.server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield stub
    finally:
        stub.server.shutdown()
        thread.join()
        stub.server.server_close()


EVALUATION: dict[str, Any] = {
    "id": "6f4ad604-12fd-4db7-880e-56840c8b2213",
    "kind": "losses",
    "name": None,
    "status": "queued",
    "labels": {},
    "seed": 7,
    "created_at": "2026-11-21T05:04:32.553629Z",
    "started_at": None,
    "finished_at": None,
    "progress": {"done": 0, "total": None, "unit": "evaluation"},
    "error": None,
    "links": {"self": "/v1/evaluations/6f4ad604-12fd-4db7-880e-56840c8b2213"},
}
DATASET: dict[str, Any] = {
    "id": "e685fe31-083c-5026-a1e1-351d489c242f",
    "name": "a.csv",
    "sha256": "00",
    "media_type": "text/csv",
    "bytes": 4,
    "rows": 1,
    "columns": [{"name": "x", "type": "number"}],
    "understood": {},
    "created_at": "2026-11-21T05:04:32Z",
}


def evaluation(status: str, etag: str = '"1"', **fields: Any) -> Reply:
    """Return an evaluation in that state."""
    return Reply(200, {**EVALUATION, "status": status, **fields}, {"ETag": etag})
