"""Requests to the provider of identities, by the rules for requests to other hosts."""

from __future__ import annotations

from typing import Final

import httpx

from thetahat_service.outbound.addresses import AllowedHosts, RefusedAddress, resolve_target
from thetahat_service.outbound.connections import RequestFailed, open_response

ANSWER_S: Final = 5.0
"""Longest request, with its whole answer."""
MOST_BYTES: Final = 1024 * 1024
"""Longest answer: metadata, keys and tokens take kilobytes."""
SENT_HEADERS: Final = ("Accept", "Authorization", "Content-Type")


class CheckedTransport(httpx.BaseTransport):
    """Connects to checked addresses alone, follows no redirect and uses no proxy.

    Parameters
    ----------
    allowed : AllowedHosts
        The hosts and networks beside public ones.
    """

    def __init__(self, allowed: AllowedHosts) -> None:
        self._allowed = allowed

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response; ``httpx.TransportError`` without a complete one."""
        headers = {name: request.headers[name] for name in SENT_HEADERS if name in request.headers}
        try:
            target = resolve_target(str(request.url), self._allowed)
            with open_response(
                target,
                method=request.method,
                headers=headers,
                content=request.read() or None,
                timeout_s=ANSWER_S,
            ) as response:
                body = _read_body(response)
        except (RefusedAddress, RequestFailed) as error:
            raise httpx.ConnectError(str(error), request=request) from error
        return httpx.Response(response.status_code, content=body, request=request)


def _read_body(response: httpx.Response) -> bytes:
    body = b""
    for piece in response.iter_raw():
        body += piece
        if len(body) > MOST_BYTES:
            raise RequestFailed(f"The answer has more than {MOST_BYTES} bytes.")
    return body
