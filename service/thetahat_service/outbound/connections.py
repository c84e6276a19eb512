"""Requests to a checked target: to its address, under its name, without redirects or proxies."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import httpx

from thetahat_service.outbound.addresses import CheckedTarget
from thetahat_service.outbound.open_connection import OpenConnection

CONNECT_TIMEOUT_S: Final = 5.0


class RequestFailed(Exception):
    """A request without a complete answer: no connection or an invalid certificate."""


class RequestTimedOut(RequestFailed):
    """A request whose answer was not complete in time, or that was cancelled."""


@contextmanager
def open_response(  # noqa: PLR0913 - each argument is a part of the request
    target: CheckedTarget,
    *,
    method: str = "GET",
    headers: Mapping[str, str],
    content: bytes | None = None,
    timeout_s: float,
    connection: OpenConnection | None = None,
) -> Iterator[httpx.Response]:
    """Send a request and yield the response with its body unread; raise ``RequestFailed``.

    The connection goes to the first checked address that accepts one. The header Host and the
    certificate are those of the name. ``timeout_s`` is a limit on the whole, from the connection to
    the end of the body. By ``connection`` the caller can end the request earlier.
    """
    deadline = time.monotonic() + timeout_s
    current = OpenConnection() if connection is None else connection
    timer = threading.Timer(timeout_s, current.close)
    timer.daemon = True
    timer.start()
    try:
        with _make_client() as client:
            response = _send(client, target, method, headers, content, deadline, current)
            try:
                yield response
            finally:
                response.close()
            if current.is_closed:  # a body without a length would seem to have ended
                raise httpx.ReadTimeout("")
    except httpx.TransportError as error:
        if current.is_closed or isinstance(error, httpx.TimeoutException):
            raise RequestTimedOut("no answer in time") from error
        raise RequestFailed((str(error) or type(error).__name__)[:200]) from error
    finally:
        timer.cancel()


def _make_client() -> httpx.Client:
    return httpx.Client(
        trust_env=False,  # no proxy from the environment: it would resolve the name again
        follow_redirects=False,
        verify=httpx.create_ssl_context(),  # the certificates of SSL_CERT_FILE, or those of certifi
        limits=httpx.Limits(max_connections=1, max_keepalive_connections=0),
    )


def _send(  # noqa: PLR0913 - each argument is a part of the request
    client: httpx.Client,
    target: CheckedTarget,
    method: str,
    headers: Mapping[str, str],
    content: bytes | None,
    deadline: float,
    connection: OpenConnection,
) -> httpx.Response:
    """Return the response of the first address that accepts a connection, its body unread."""
    last: httpx.TransportError | None = None
    for address in target.addresses:
        remaining_s = deadline - time.monotonic()
        if remaining_s <= 0 or connection.is_closed:
            break
        request = _build(client, target, address, method, headers, content, remaining_s)
        request.extensions["trace"] = connection.take
        try:
            return client.send(request, stream=True)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            last = error
    raise last or httpx.ConnectTimeout("no connection in time")


def _build(  # noqa: PLR0913 - each argument is a part of the request
    client: httpx.Client,
    target: CheckedTarget,
    address: str,
    method: str,
    headers: Mapping[str, str],
    content: bytes | None,
    timeout_s: float,
) -> httpx.Request:
    """Return a request to an address; its headers and certificate are of the host's name."""
    host = f"[{address}]" if ":" in address else address
    own_port = {"https": 443, "http": 80}[target.scheme]
    name = f"[{target.host}]" if ":" in target.host else target.host
    named = name if target.port == own_port else f"{name}:{target.port}"
    return client.build_request(
        method,
        f"{target.scheme}://{host}:{target.port}{target.path}",
        headers={"Accept-Encoding": "identity", **headers, "Host": named},
        content=content,
        timeout=httpx.Timeout(timeout_s, connect=min(CONNECT_TIMEOUT_S, timeout_s)),
        extensions={"sni_hostname": target.host},
    )
