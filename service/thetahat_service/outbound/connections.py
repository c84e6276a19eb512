"""Requests to a checked target: to its address, under its name, without redirects or proxies."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import httpx

from thetahat_service.outbound.addresses import CheckedTarget

CONNECT_TIMEOUT_S: Final = 5.0


class RequestFailed(Exception):
    """A request without an answer: no connection, an invalid certificate, or no answer in time."""


@contextmanager
def open_response(
    target: CheckedTarget,
    *,
    method: str = "GET",
    headers: Mapping[str, str],
    content: bytes | None = None,
    timeout_s: float,
) -> Iterator[httpx.Response]:
    """Send a request and yield the response with its body unread; raise ``RequestFailed``.

    The connection goes to the first checked address that accepts one. The header Host and the
    certificate are those of the name. ``timeout_s`` limits each step; the caller limits the whole.
    """
    deadline = time.monotonic() + timeout_s
    with httpx.Client(
        trust_env=False,  # no proxy from the environment: it would resolve the name again
        follow_redirects=False,
        verify=httpx.create_ssl_context(),  # the certificates of SSL_CERT_FILE, or those of certifi
        limits=httpx.Limits(max_connections=1, max_keepalive_connections=0),
    ) as client:
        last: httpx.TransportError | None = None
        for address in target.addresses:
            remaining_s = deadline - time.monotonic()
            if remaining_s <= 0:
                break
            request = _build(client, target, address, method, headers, content, remaining_s)
            try:
                response = client.send(request, stream=True)
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                last = error
                continue
            except httpx.TransportError as error:
                raise RequestFailed(_describe(error)) from error
            try:
                yield response
            except httpx.TransportError as error:
                raise RequestFailed(_describe(error)) from error
            finally:
                response.close()
            return
        raise RequestFailed("no connection in time" if last is None else _describe(last))


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


def _describe(error: httpx.TransportError) -> str:
    """Return the reason of a failure in a few words."""
    if isinstance(error, httpx.TimeoutException):
        return "no answer in time"
    return (str(error) or type(error).__name__)[:200]
