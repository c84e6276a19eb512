"""Connections to the service that stay open between requests, by urllib3.

Only this module knows urllib3, and only a client imports this module.
"""

from __future__ import annotations

import ipaddress
import os
import re
import socket
import ssl
from collections.abc import Iterable, Iterator
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from urllib.parse import SplitResult, unquote, urlencode, urlsplit
from urllib.request import getproxies, proxy_bypass

from urllib3 import (
    BaseHTTPResponse,
    HTTPConnectionPool,
    HTTPSConnectionPool,
    PoolManager,
    ProxyManager,
    Timeout,
)
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, ProxyError
from urllib3.exceptions import TimeoutError as HTTPTimeout
from urllib3.util import make_headers

from thetahat_client.calls import CURRENT_CALL, ThreadCall
from thetahat_client.errors import InvalidAddress
from thetahat_client.exchange import Answer, AttemptFailed, Request
from thetahat_client.version import VERSION

SCHEMES: Final = frozenset({"http", "https"})
LONGEST_CONNECT_S: Final = 10.0
KEPT_CONNECTIONS: Final = 20  # open between requests
PIECE_BYTES: Final = 64 * 1024  # of a stream, read at once
HEADER_VALUE: Final = re.compile(r"([!-~]([\t -~]*[!-~])?)?")  # ASCII, without spaces at its ends

HOST: Final = re.compile(r"[\w.:%-]*", re.ASCII)  # IPv6 with its zone, too

_REQUEST: Final[ContextVar[Request]] = ContextVar("_REQUEST")
"""The request that the present thread sends; urllib3 gives a connection no such argument."""


class Connections:
    """Sends requests to one service, from any number of threads.

    Parameters
    ----------
    url : str
        Address of the service; a name and password in it are sent as basic authentication.
    api_key : str or None
        Sent with each request.

    Raises
    ------
    InvalidAddress
        The address, or that of a proxy of the environment, cannot be read.
    """

    def __init__(self, url: str, api_key: str | None) -> None:
        self._address = _Address.read(url)
        self._headers = {
            "Accept": "*/*",
            "Accept-Encoding": "gzip, deflate",
            "User-Agent": f"thetahat-client/{VERSION}",
        }
        if api_key:
            self._headers["Authorization"] = f"Bearer {api_key}"
        if self._address.login:
            self._headers |= make_headers(basic_auth=self._address.login)
        self._manager = _open_manager(self._address)

    def close(self) -> None:
        """Close the connections that no request uses."""
        self._manager.clear()

    def send(self, request: Request) -> Answer:
        """Send a request and return its answer; raise ``AttemptFailed`` if there is none."""
        if not self._address.is_complete:
            reason = "the address does not begin with http:// or https:// and a host"
            raise AttemptFailed(reason, may_repeat=False)
        headers = {**self._headers, **request.headers}
        for name, value in headers.items():
            if not HEADER_VALUE.fullmatch(value):
                reason = f"the value of the header {name} has characters that HTTP does not allow"
                raise AttemptFailed(reason, may_repeat=False)
        body: BytesIO | Iterator[bytes] | None = None
        if isinstance(request.content, bytes):
            body = BytesIO(request.content)  # in pieces, each with the time-out of its own
            headers["Content-Length"] = str(len(request.content))
        elif request.content is not None:
            body = _read_pieces(request.content)
        query = urlencode(request.query, doseq=True)
        url = self._address.url + request.path + (f"?{query}" if query else "")
        before = _REQUEST.set(request)
        try:
            response = self._manager.urlopen(
                request.method,
                url,
                body=body,
                headers=headers,
                timeout=Timeout(
                    connect=min(request.timeout, LONGEST_CONNECT_S), read=request.read_timeout
                ),
                preload_content=not request.stream,
                redirect=False,  # the service sends none, and another host must not get the key
                retries=False,  # the transport decides
            )
        except _UnreadableSource as source:
            raise source.fault from None
        except HTTPError as error:
            raise _build_failure(error) from error
        finally:
            _REQUEST.reset(before)
        return _build_answer(request, url, response)


@dataclass(frozen=True, slots=True)
class _Address:
    """The address of the service in the parts that matter; ``login`` is ``name:password``."""

    scheme: str
    host: str
    netloc: str
    path: str
    login: str

    @classmethod
    def read(cls, url: str) -> _Address:
        try:
            parts = urlsplit(url)
            host = _encode_host(parts.hostname or "")
            port = "" if parts.port is None else f":{parts.port}"
        except ValueError as error:
            message = f"The address of the service is not valid: {url!r} ({error})."
            raise InvalidAddress(message) from None
        netloc = (f"[{host}]" if ":" in host else host) + port
        return cls(parts.scheme, host, netloc, parts.path, _read_login(parts))

    @property
    def url(self) -> str:
        """The address without name and password."""
        return f"{self.scheme}://{self.netloc}{self.path}"

    @property
    def is_complete(self) -> bool:
        """Whether requests can be sent to it."""
        return self.scheme in SCHEMES and self.host != ""

    @property
    def is_loopback(self) -> bool:
        """Whether it is an address of this machine."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def _encode_host(name: str) -> str:
    """Return the name of a host in ASCII, or raise ``ValueError``."""
    host = name.encode("idna").decode()
    if not HOST.fullmatch(host):
        raise ValueError(f"{host!r} is not the name of a host")
    return host


def _read_login(parts: SplitResult) -> str:
    """Return ``name:password`` of an address; empty if it has none."""
    if parts.username is None:
        return ""
    return f"{unquote(parts.username)}:{unquote(parts.password or '')}"


class _Connection(HTTPConnection):
    """A connection that a cancelled call ends, and that waits as long to send as to read."""

    _owner: ThreadCall | None = None

    def request(self, *arguments: Any, **options: Any) -> None:
        """Send a request, for the call of the present thread."""
        if self.sock is None:
            self.connect()
        self.timeout = _REQUEST.get().timeout  # not that of connecting, which is shorter
        self._owner = CURRENT_CALL.get()
        if self._owner is not None:
            self._owner.on_cancel(partial(self._shut_down, self._owner, self.sock))
        super().request(*arguments, **options)

    def _shut_down(self, owner: ThreadCall, sock: Any) -> None:
        """End what a call sends or reads, unless the connection serves another call by now."""
        if self._owner is owner and hasattr(sock, "shutdown"):  # TLS inside TLS has none
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)


class _SecureConnection(_Connection, HTTPSConnection):
    """A connection with TLS."""


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _SecureConnection


def _open_manager(address: _Address) -> PoolManager:
    """Return the connections to an address, through the proxy that the environment names."""
    options: dict[str, Any] = {"maxsize": KEPT_CONNECTIONS}
    if address.scheme == "https":
        options["ssl_context"] = _make_ssl_context()
    proxy = _find_proxy(address)
    manager = _open_proxy(proxy, options) if proxy else PoolManager(**options)
    manager.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}
    return manager


def _find_proxy(address: _Address) -> str | None:
    """Return the proxy of the environment for an address; None if it is reached without one."""
    # A proxy of the environment cannot reach the loopback of this machine.
    if not address.is_complete or address.is_loopback:
        return None
    if proxy_bypass(address.netloc) or proxy_bypass(address.host):  # IPv6 there has no brackets
        return None
    proxies = getproxies()
    proxy = proxies.get(address.scheme) or proxies.get("all")
    return proxy if proxy is None or "://" in proxy else f"http://{proxy}"


def _open_proxy(proxy: str, options: dict[str, Any]) -> ProxyManager:
    try:
        login = _read_login(urlsplit(proxy))
        if login:
            options["proxy_headers"] = make_headers(proxy_basic_auth=login)
        if proxy.startswith("https:"):
            options["proxy_ssl_context"] = _make_ssl_context()
        return ProxyManager(proxy, **options)
    except (HTTPError, ValueError):
        raise InvalidAddress(
            "The environment names a proxy whose address is not a valid one of http:// or "
            "https://. Correct HTTP_PROXY, HTTPS_PROXY or ALL_PROXY, or add the host of the "
            "service to NO_PROXY."
        ) from None


def _make_ssl_context() -> ssl.SSLContext:
    """Return a context that trusts only the certificates that the environment or system names."""
    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    if file and not Path(file).is_file():
        raise FileNotFoundError(f"There is no file {file}, which SSL_CERT_FILE names.")
    return ssl.create_default_context(cafile=file or None, capath=folder or None)


class _UnreadableSource(Exception):
    """The source of a body cannot be read; urllib3 would take an ``OSError`` for its own."""

    def __init__(self, fault: OSError) -> None:
        super().__init__(str(fault))
        self.fault = fault


def _read_pieces(pieces: Iterable[bytes]) -> Iterator[bytes]:
    try:
        yield from pieces
    except OSError as fault:
        raise _UnreadableSource(fault) from fault


def _build_answer(request: Request, url: str, response: BaseHTTPResponse) -> Answer:
    """Return a response with its body, or with its lines if it is a stream."""
    make = partial(
        Answer,
        request=f"{request.method} {url}",
        status=response.status,
        reason=response.reason or "",
        headers=response.headers,
    )
    if request.stream and response.status == HTTPStatus.OK:
        return make(lines=_read_lines(response), close=response.close)
    try:
        return make(content=response.data)
    except HTTPError as error:
        raise _build_failure(error) from error


def _read_lines(response: BaseHTTPResponse) -> Iterator[str]:
    """Yield each line as soon as it has arrived; one that is cut off at the end is left out."""
    rest = b""
    try:
        while piece := response.read1(PIECE_BYTES):
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                yield line.removesuffix(b"\r").decode(errors="replace")
    except HTTPError as error:
        raise _build_failure(error) from error


def _build_failure(error: HTTPError) -> AttemptFailed:
    """Return the reason of an error without the names of urllib3's classes."""
    reason = _find_reason(error)
    if isinstance(error, ProxyError):
        reason = f"proxy: {reason}"
    return AttemptFailed(reason, may_repeat=True)


def _find_reason(error: BaseException) -> str:
    """Return the message of the innermost error."""
    wrapped = [each for each in error.args if isinstance(each, BaseException)]
    inner = error.__cause__ or (wrapped[-1] if wrapped else None)
    if inner is not None:
        return _find_reason(inner)
    if isinstance(error, TimeoutError | HTTPTimeout):
        return "timed out"
    return str(error) or type(error).__name__
